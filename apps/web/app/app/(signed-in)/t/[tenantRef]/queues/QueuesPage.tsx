'use client';

import { Duration, type Column, whenOpen } from '@clarion/ui';
import { UsersRound } from 'lucide-react';
import { ListPage } from '#lib/dashboard/edit/ListPage.tsx';
import { Named } from '#lib/dashboard/edit/Named.tsx';
import type { Queue } from '#lib/dashboard/edit/resources.ts';
import { tenantHome } from '#lib/dashboard/navigation.tsx';
import { useGet } from '#lib/dashboard/queries.ts';
import type { Answer } from '#lib/dashboard/request.ts';
import { strategyNames } from './strategies.ts';

const NewQueue = whenOpen(
  async () => (await import('./NewQueue.tsx')).NewQueue,
  ({ open }) => open,
);

type LiveQueue = Answer<'GET', '/v1/tenants/{tenantRef}/reports/live'>['queues'][number];

/** How often the live figures are refreshed. The live board shows changes immediately. */
const POLL_MS = 5_000;

export function QueuesPage({ tenantRef }: { tenantRef: string }) {
  const path = { tenantRef };
  const { data, error, refetch } = useGet('/v1/tenants/{tenantRef}/queues', { path });
  const { data: live } = useGet(
    '/v1/tenants/{tenantRef}/reports/live',
    { path },
    { refetchInterval: POLL_MS },
  );
  return (
    <ListPage
      title="Queues"
      description="Where callers wait, and which agents answer them."
      newLabel="New queue"
      findLabel="Search queues"
      textOf={({ name, ref }) => `${name} ${ref}`}
      rows={data?.queues}
      error={error}
      retry={refetch}
      columns={columnsOf(new Map(live?.queues.map((queue) => [queue.queueId, queue])))}
      rowHref={({ ref }) => `${tenantHome(tenantRef)}/queues/${encodeURIComponent(ref)}`}
      empty={{
        icon: <UsersRound />,
        title: 'No queues yet',
        text: 'Callers wait in a queue until one of its members is available. Create one and choose it for a line.',
      }}
      noneFits={{ title: 'No matching queues', text: 'Search by name or ref.' }}
    >
      {({ target, taken, onClose }) => (
        <NewQueue tenantRef={tenantRef} open={target === 'new'} taken={taken} onClose={onClose} />
      )}
    </ListPage>
  );
}

const columnsOf = (live: ReadonlyMap<number, LiveQueue>): Column<Queue>[] => [
  { key: 'name', header: 'Name', cell: ({ name, ref }) => <Named name={name} refText={ref} /> },
  { key: 'strategy', header: 'Strategy', hideBelow: 'md', cell: ({ strategy }) => strategyNames[strategy] },
  { key: 'members', header: 'Members', align: 'end', cell: ({ members }) => members.length },
  {
    key: 'free',
    header: 'Available',
    align: 'end',
    cell: ({ id }) => live.get(id)?.agents.available ?? '',
  },
  { key: 'waiting', header: 'Waiting', align: 'end', cell: ({ id }) => live.get(id)?.waiting ?? '' },
  {
    key: 'longest',
    header: 'Longest wait',
    align: 'end',
    hideBelow: 'md',
    cell: ({ id }) => <Duration seconds={live.get(id)?.longestWaitSeconds} clock />,
  },
];
