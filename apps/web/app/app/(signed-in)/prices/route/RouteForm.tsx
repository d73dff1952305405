'use client';

import { Button, Card, SelectField, TextField } from '@clarion/ui';
import { useState } from 'react';
import { SaveForm } from '#lib/dashboard/edit/SaveForm.tsx';
import { useGet } from '#lib/dashboard/queries.ts';
import { request } from '#lib/dashboard/request.ts';
import type { RoutePreview } from '#lib/dashboard/usage/route-rules.ts';
import { useUrlState } from '#lib/dashboard/use-url-state.ts';

export interface RouteQuestion {
  tenantRef: string;
  channelRef: string;
}

interface RouteFormProps {
  onAsk(): void;
  onShow(asked: RouteQuestion, preview: RoutePreview): void;
}

/** What was asked is kept in the URL, so that it can be shared. The fields are not: a URL lags behind the keyboard. */
export function RouteForm({ onAsk, onShow }: RouteFormProps) {
  const url = useUrlState();
  const [fields, setFields] = useState(() => ({
    tenant: url.get('tenant'),
    line: url.get('line'),
    number: url.get('number'),
  }));
  const change = (part: Partial<typeof fields>) => setFields((before) => ({ ...before, ...part }));
  const tenants = useGet('/v1/tenants', {}).data?.tenants ?? [];
  const tenantRef = fields.tenant || (tenants.length === 1 ? (tenants[0]?.ref ?? '') : '');
  const { data } = useGet(
    '/v1/tenants/{tenantRef}/channels',
    { path: { tenantRef } },
    { enabled: tenantRef !== '' },
  );
  const lines = data?.channels ?? [];
  const channelRef = fields.line || (lines.length === 1 ? (lines[0]?.ref ?? '') : '');
  return (
    <Card>
      <SaveForm
        onSave={async () => {
          onAsk();
          url.set({ tenant: tenantRef, line: channelRef, number: fields.number });
          const body = { tenant_ref: tenantRef, channel_ref: channelRef, number: fields.number };
          const { preview } = await request('POST', '/v1/route-preview', { body });
          onShow({ tenantRef, channelRef }, preview);
        }}
      >
        {(busy) => (
          <div className="flex flex-wrap items-start gap-3">
            <SelectField
              name="tenant_ref"
              label="Tenant"
              className="w-full sm:w-56"
              required
              value={tenantRef === '' ? null : tenantRef}
              choices={tenants.map(({ ref, name }) => ({ value: ref, label: name }))}
              onValueChange={(tenant) => change({ tenant, line: '' })}
            />
            <SelectField
              name="channel_ref"
              label="Line"
              className="w-full sm:w-60"
              required
              disabled={tenantRef === ''}
              value={channelRef === '' ? null : channelRef}
              choices={lines.map(({ ref, displayName, address }) => ({
                value: ref,
                label: displayName ?? address,
              }))}
              onValueChange={(line) => change({ line })}
            />
            <TextField
              name="number"
              label="Number to call"
              type="tel"
              placeholder="+44 20 7946 0123"
              className="w-full sm:w-60"
              required
              autoComplete="off"
              value={fields.number}
              onValueChange={(number) => change({ number })}
            />
            <Button
              type="submit"
              tone="accent"
              busy={busy}
              className="mt-[1.625rem] max-sm:mt-0 max-sm:w-full"
            >
              Preview route
            </Button>
          </div>
        )}
      </SaveForm>
    </Card>
  );
}
