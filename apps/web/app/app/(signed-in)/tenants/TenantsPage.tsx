'use client';

import { RelativeTime, type Column, whenOpen } from '@clarion/ui';
import { Building2 } from 'lucide-react';
import { ListPage } from '#lib/dashboard/edit/ListPage.tsx';
import { Named } from '#lib/dashboard/edit/Named.tsx';
import { useGet } from '#lib/dashboard/queries.ts';
import type { Tenant } from '#lib/dashboard/edit/resources.ts';
import { TenantStatus } from './TenantStatus.tsx';

const TenantDrawer = whenOpen(
  async () => (await import('./TenantDrawer.tsx')).TenantDrawer,
  ({ target }) => target !== null,
);

export function TenantsPage() {
  const { data, error, refetch } = useGet('/v1/tenants', { query: { counts: true } });
  return (
    <ListPage
      title="Tenants"
      description="A tenant is one business that you serve. Each tenant has its own agents, queues, lines and calls."
      newLabel="New tenant"
      findLabel="Search tenants"
      textOf={({ name, ref }) => `${name} ${ref}`}
      rows={data?.tenants}
      error={error}
      retry={refetch}
      columns={columns}
      empty={{
        icon: <Building2 />,
        title: 'No tenants yet',
        text: 'Create a tenant for each business that uses your product. Your backend can also create tenants with PUT /v1/tenants.',
      }}
      noneFits={{ title: 'No matching tenants', text: 'Search by name or ref.' }}
    >
      {(opened) => <TenantDrawer {...opened} />}
    </ListPage>
  );
}

const count = (key: 'agents' | 'queues' | 'channels', header: string): Column<Tenant> => ({
  key,
  header,
  align: 'end',
  cell: ({ counts }) => counts?.[key] ?? '',
});

const columns: Column<Tenant>[] = [
  { key: 'name', header: 'Name', cell: ({ name, ref }) => <Named name={name} refText={ref} /> },
  { key: 'status', header: 'Status', cell: ({ status }) => <TenantStatus status={status} /> },
  count('agents', 'Agents'),
  count('queues', 'Queues'),
  count('channels', 'Lines'),
  {
    key: 'recording',
    header: 'Recording',
    hideBelow: 'md',
    cell: ({ settings: { recording } }) =>
      recording.enabled === null ? 'Account policy' : recording.enabled ? 'On' : 'Off',
  },
  {
    key: 'created',
    header: 'Created',
    hideBelow: 'lg',
    cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
  },
];
