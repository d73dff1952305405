'use client';

import { SegmentedControl, type Column, whenOpen } from '@clarion/ui';
import { Headphones } from 'lucide-react';
import { AgentState } from '#lib/dashboard/edit/AgentState.tsx';
import { ListPage } from '#lib/dashboard/edit/ListPage.tsx';
import { Named } from '#lib/dashboard/edit/Named.tsx';
import { useGet } from '#lib/dashboard/queries.ts';
import type { Agent, Line } from '#lib/dashboard/edit/resources.ts';
import { useUrlState } from '#lib/dashboard/use-url-state.ts';

const AgentDrawer = whenOpen(
  async () => (await import('./AgentDrawer.tsx')).AgentDrawer,
  ({ target }) => target !== null,
);

/** How often states are refreshed here. The live board shows changes immediately. */
const POLL_MS = 5_000;

const filters = [
  { value: 'all', label: 'All' },
  { value: 'connected', label: 'Connected' },
  { value: 'offline', label: 'Not connected' },
] as const;

export function AgentsPage({ tenantRef }: { tenantRef: string }) {
  const url = useUrlState();
  const path = { tenantRef };
  const { data, error, refetch } = useGet(
    '/v1/tenants/{tenantRef}/agents',
    { path },
    { refetchInterval: POLL_MS },
  );
  const { data: lines } = useGet('/v1/tenants/{tenantRef}/channels', { path });
  const filter = filters.find(({ value }) => value === url.get('show'))?.value ?? 'all';
  return (
    <ListPage
      title="Agents"
      description="The people who answer and place calls. Agents who connect with a token from your backend are added automatically."
      newLabel="New agent"
      findLabel="Search agents"
      textOf={({ name, ref }) => `${name} ${ref}`}
      filter={{
        control: (
          <SegmentedControl
            label="Filter by connection"
            choices={filters}
            value={filter}
            onChange={(show) => url.set({ show: show === 'all' ? null : show })}
          />
        ),
        keeps: ({ connected }) => filter === 'all' || connected === (filter === 'connected'),
      }}
      rows={data?.agents}
      error={error}
      retry={refetch}
      columns={columnsOf(lines?.channels ?? [])}
      empty={{
        icon: <Headphones />,
        title: 'No agents yet',
        text: 'Add the people who answer calls. Then add them to a queue or give them a personal line.',
      }}
      noneFits={{ title: 'No matching agents', text: 'Try another name, or show all agents.' }}
    >
      {(opened) => <AgentDrawer tenantRef={tenantRef} lines={lines?.channels ?? []} {...opened} />}
    </ListPage>
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
    header: 'Personal lines',
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
