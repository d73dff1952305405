'use client';

import {
  Button,
  EmptyState,
  Page,
  SearchField,
  SegmentedControl,
  Table,
  type Column,
  whenOpen,
} from '@clarion/ui';
import { Headphones, Plus } from 'lucide-react';
import { AgentState } from '../../../../../../lib/dashboard/edit/AgentState.tsx';
import { Named } from '../../../../../../lib/dashboard/edit/Named.tsx';
import { ReadProblem } from '../../../../../../lib/dashboard/edit/ReadProblem.tsx';
import { useMe } from '../../../../../../lib/dashboard/me.tsx';
import { useGet } from '../../../../../../lib/dashboard/queries.ts';
import type { Agent, Line } from '../../../../../../lib/dashboard/edit/resources.ts';
import { useUrlState } from '../../../../../../lib/dashboard/use-url-state.ts';

const AgentDrawer = whenOpen(
  async () => (await import('./AgentDrawer.tsx')).AgentDrawer,
  ({ target }) => target !== null,
);

/** How soon a colleague's change of state is seen here; the live board has it at once. */
const POLL_MS = 5_000;

const filters = [
  { value: 'all', label: 'All' },
  { value: 'connected', label: 'Connected' },
  { value: 'offline', label: 'Not connected' },
] as const;

export function AgentsPage({ tenantRef }: { tenantRef: string }) {
  const me = useMe();
  const url = useUrlState();
  const path = { tenantRef };
  const { data, error, refetch } = useGet(
    '/v1/tenants/{tenantRef}/agents',
    { path },
    { refetchInterval: POLL_MS },
  );
  const { data: lines } = useGet('/v1/tenants/{tenantRef}/channels', { path });
  const all = data?.agents;
  const filter = filters.find(({ value }) => value === url.get('show'))?.value ?? 'all';
  const words = url.get('q').toLowerCase();
  const shown = all
    ?.filter(({ name, ref }) => `${name} ${ref}`.toLowerCase().includes(words))
    .filter(({ connected }) => filter === 'all' || connected === (filter === 'connected'));
  const open = all?.find(({ ref }) => ref === url.get('open')) ?? null;
  const create = (
    <Button
      tone="accent"
      icon={<Plus className="size-4" />}
      onClick={() => url.set({ new: '1', open: null })}
    >
      New agent
    </Button>
  );
  return (
    <Page
      title="Agents"
      description="The people who take and place calls. An agent whose app connects with a token of your backend appears here by themself."
      actions={me.may('manage') && create}
    >
      {error !== null ? (
        <ReadProblem what="The agents" problem={error} onRetry={() => void refetch()} />
      ) : (
        <div className="flex flex-col gap-3">
          {(all?.length ?? 0) > 0 && (
            <div className="flex flex-wrap items-center justify-between gap-3">
              <SearchField label="Find an agent" value={url.get('q')} onChange={(q) => url.set({ q })} />
              <SegmentedControl
                label="Which agents"
                choices={filters}
                value={filter}
                onChange={(show) => url.set({ show: show === 'all' ? null : show })}
              />
            </div>
          )}
          <Table
            label="Agents"
            columns={columnsOf(lines?.channels ?? [])}
            rows={shown}
            rowKey={({ ref }) => ref}
            onRowOpen={({ ref }) => url.set({ open: ref })}
            current={open?.ref ?? null}
            stacked
            empty={
              all?.length === 0 ? (
                <EmptyState icon={<Headphones />} title="No agents yet" action={me.may('manage') && create}>
                  Add the people who will answer. Then put them in a queue, or give one of them a line of
                  their own.
                </EmptyState>
              ) : (
                <EmptyState title="Nobody here fits">Look for another name, or show all of them.</EmptyState>
              )
            }
          />
        </div>
      )}
      <AgentDrawer
        tenantRef={tenantRef}
        target={url.get('new') === '' ? open : 'new'}
        taken={all?.map(({ ref }) => ref) ?? []}
        lines={lines?.channels ?? []}
        onClose={() => url.set({ new: null, open: null })}
      />
    </Page>
  );
}

const columnsOf = (lines: readonly Line[]): Column<Agent>[] => [
  { key: 'name', header: 'Name', cell: ({ name, ref }) => <Named name={name} refText={ref} /> },
  { key: 'state', header: 'State', cell: (agent) => <AgentState agent={agent} /> },
  {
    key: 'role',
    header: 'Role',
    cell: ({ role }) => (role === 'SUPERVISOR' ? 'Supervisor' : 'Agent'),
  },
  {
    key: 'devices',
    header: 'Devices',
    align: 'end',
    hideBelow: 'md',
    cell: ({ deviceCount }) => deviceCount,
  },
  {
    key: 'lines',
    header: 'Own lines',
    hideBelow: 'md',
    cell: ({ id }) => {
      const own = lines.filter(({ ownerAgentId }) => ownerAgentId === id);
      return own.length === 0 ? (
        <span className="text-muted">None</span>
      ) : (
        own.map(({ ref, displayName, address }) => (
          <span key={ref} className="block tabular-nums">
            {displayName ?? address}
          </span>
        ))
      );
    },
  },
];
