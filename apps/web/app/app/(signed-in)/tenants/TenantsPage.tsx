'use client';

import {
  Button,
  EmptyState,
  Page,
  RelativeTime,
  SearchField,
  Table,
  type Column,
  whenOpen,
} from '@clarion/ui';
import { Building2, Plus } from 'lucide-react';
import { Named } from '../../../../lib/dashboard/edit/Named.tsx';
import { ReadProblem } from '../../../../lib/dashboard/edit/ReadProblem.tsx';
import { useMe } from '../../../../lib/dashboard/me.tsx';
import { useGet } from '../../../../lib/dashboard/queries.ts';
import type { Tenant } from '../../../../lib/dashboard/edit/resources.ts';
import { useUrlState } from '../../../../lib/dashboard/use-url-state.ts';
import { TenantStatus } from './TenantStatus.tsx';

const TenantDrawer = whenOpen(
  async () => (await import('./TenantDrawer.tsx')).TenantDrawer,
  ({ target }) => target !== null,
);

export function TenantsPage() {
  const me = useMe();
  const url = useUrlState();
  const { data, error, refetch } = useGet('/v1/tenants', { query: { counts: true } });
  const all = data?.tenants;
  const words = url.get('q').toLowerCase();
  const shown = all?.filter(({ name, ref }) => `${name} ${ref}`.toLowerCase().includes(words));
  const isNew = url.get('new') !== '';
  const open = all?.find(({ ref }) => ref === url.get('open')) ?? null;
  const create = (
    <Button
      tone="accent"
      icon={<Plus className="size-4" />}
      onClick={() => url.set({ new: '1', open: null })}
    >
      New tenant
    </Button>
  );
  return (
    <Page
      title="Tenants"
      description="Each business that you serve is a tenant. It has its own agents, queues, lines and calls, and sees nothing of the others."
      actions={me.may('manage') && create}
    >
      {error !== null ? (
        <ReadProblem what="The tenants" problem={error} onRetry={() => void refetch()} />
      ) : (
        <div className="flex flex-col gap-3">
          {(all?.length ?? 0) > 0 && (
            <SearchField label="Find a tenant" value={url.get('q')} onChange={(q) => url.set({ q })} />
          )}
          <Table
            label="Tenants"
            columns={columns}
            rows={shown}
            rowKey={({ ref }) => ref}
            onRowOpen={({ ref }) => url.set({ open: ref })}
            current={open?.ref ?? null}
            stacked
            empty={
              words === '' ? (
                <EmptyState icon={<Building2 />} title="No tenants yet" action={me.may('manage') && create}>
                  Create one for each business that uses your product, or one for all if your product is the
                  business. Your backend can create them too, with PUT /v1/tenants.
                </EmptyState>
              ) : (
                <EmptyState title="No tenant of that name">
                  Look for a part of its name or its ref.
                </EmptyState>
              )
            }
          />
        </div>
      )}
      <TenantDrawer
        target={isNew ? 'new' : open}
        taken={all?.map(({ ref }) => ref) ?? []}
        onClose={() => url.set({ new: null, open: null })}
      />
    </Page>
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
      recording.enabled === null ? 'As the account' : recording.enabled ? 'On' : 'Off',
  },
  {
    key: 'created',
    header: 'Created',
    hideBelow: 'lg',
    cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
  },
];
