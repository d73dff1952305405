'use client';

import { Badge, ComboField, EmptyState, Section, Table, TextLink } from '@clarion/ui';
import { PhoneIncoming } from 'lucide-react';
import { useState } from 'react';
import type { Tenant } from '#lib/dashboard/edit/resources.ts';
import { tenantHome } from '#lib/dashboard/navigation.tsx';
import { useGet } from '#lib/dashboard/queries.ts';

/** One tenant at a time: an account may have thousands of lines. */
export function LineOverrides({ tenants = [] }: { tenants: readonly Tenant[] | undefined }) {
  const [chosen, setChosen] = useState<string | null>(null);
  const tenantRef = chosen ?? tenants[0]?.ref ?? '';
  const { data } = useGet(
    '/v1/tenants/{tenantRef}/channels',
    { path: { tenantRef } },
    { enabled: tenantRef !== '' },
  );
  if (tenants.length === 0) return null;
  return (
    <Section
      title="Lines with their own setting"
      actions={
        tenants.length > 1 && (
          <ComboField
            className="w-64"
            label="Tenant"
            hideLabel
            choices={tenants.map(({ ref, name }) => ({ value: ref, label: name, note: ref }))}
            value={tenantRef}
            onValueChange={setChosen}
          />
        )
      }
    >
      <Table
        label="Lines with their own setting"
        columns={[
          {
            key: 'line',
            header: 'Line',
            cell: ({ ref, displayName, address }) => (
              <TextLink href={`${tenantHome(tenantRef)}/lines?open=${encodeURIComponent(ref)}`}>
                {displayName ?? address}
              </TextLink>
            ),
          },
          {
            key: 'choice',
            header: 'Recording',
            cell: ({ recordingEnabled }) =>
              recordingEnabled ? <Badge tone="positive">Always</Badge> : <Badge>Never</Badge>,
          },
        ]}
        rows={data?.channels.filter(({ recordingEnabled }) => recordingEnabled !== null)}
        rowKey={({ ref }) => ref}
        stacked
        empty={
          <EmptyState icon={<PhoneIncoming />} title="All lines use their tenant’s setting">
            You can override the setting for a line in its settings.
          </EmptyState>
        }
      />
    </Section>
  );
}
