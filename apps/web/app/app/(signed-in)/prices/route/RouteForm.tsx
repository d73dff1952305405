'use client';

import { Button, Card, SelectField, TextField } from '@clarion/ui';
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

/** Its fields are kept in the URL, so that a question can be shared. */
export function RouteForm({ onAsk, onShow }: RouteFormProps) {
  const url = useUrlState();
  const tenants = useGet('/v1/tenants', {}).data?.tenants ?? [];
  const tenantRef = url.get('tenant') || (tenants.length === 1 ? (tenants[0]?.ref ?? '') : '');
  const { data } = useGet(
    '/v1/tenants/{tenantRef}/channels',
    { path: { tenantRef } },
    { enabled: tenantRef !== '' },
  );
  const lines = data?.channels ?? [];
  const channelRef = url.get('line') || (lines.length === 1 ? (lines[0]?.ref ?? '') : '');
  return (
    <Card>
      <SaveForm
        onSave={async () => {
          onAsk();
          const body = { tenant_ref: tenantRef, channel_ref: channelRef, number: url.get('number') };
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
              onValueChange={(tenant) => url.set({ tenant, line: null })}
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
              onValueChange={(line) => url.set({ line })}
            />
            <TextField
              name="number"
              label="Number to call"
              type="tel"
              placeholder="+44 20 7946 0123"
              className="w-full sm:w-60"
              required
              autoComplete="off"
              value={url.get('number')}
              onValueChange={(number) => url.set({ number })}
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
