import { Badge, Duration, Section, Table, type Column } from '@clarion/ui';
import { tenantHome } from '#lib/dashboard/navigation.tsx';
import type { Overview } from '../HomePage.tsx';

type TenantNow = Overview['tenants'][number];

const columns: Column<TenantNow>[] = [
  {
    key: 'name',
    header: 'Tenant',
    cell: ({ name, status }) => (
      <span className="flex items-center gap-2">
        {name}
        {status === 'SUSPENDED' && <Badge tone="warning">Suspended</Badge>}
      </span>
    ),
  },
  { key: 'live', header: 'Live calls', align: 'end', cell: ({ liveCalls }) => liveCalls },
  { key: 'waiting', header: 'Waiting', align: 'end', cell: ({ waiting }) => waiting },
  {
    key: 'longest',
    header: 'Longest wait',
    align: 'end',
    hideBelow: 'sm',
    cell: ({ longestWaitSeconds: wait }) => (wait === null ? '–' : <Duration seconds={wait} />),
  },
  { key: 'available', header: 'Available', align: 'end', cell: ({ agents }) => agents.available },
  { key: 'onCall', header: 'On a call', align: 'end', hideBelow: 'sm', cell: ({ agents }) => agents.onCall },
];

export function TenantsNow({ tenants }: { tenants: readonly TenantNow[] }) {
  return (
    <Section title="By tenant">
      <Table
        label="Live figures by tenant"
        columns={columns}
        rows={tenants}
        rowKey={({ ref }) => ref}
        rowHref={({ ref }) => `${tenantHome(ref)}/live`}
        empty={null}
      />
    </Section>
  );
}
