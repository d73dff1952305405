'use client';

import { Button, Duration, EmptyState, Page, SearchField, Table, type Column, whenOpen } from '@clarion/ui';
import { Plus, UsersRound } from 'lucide-react';
import { Named } from '../../../../../../lib/dashboard/edit/Named.tsx';
import { ReadProblem } from '../../../../../../lib/dashboard/edit/ReadProblem.tsx';
import type { Queue } from '../../../../../../lib/dashboard/edit/resources.ts';
import { useMe } from '../../../../../../lib/dashboard/me.tsx';
import { tenantHome } from '../../../../../../lib/dashboard/navigation.tsx';
import { useGet } from '../../../../../../lib/dashboard/queries.ts';
import type { Answer } from '../../../../../../lib/dashboard/request.ts';
import { useUrlState } from '../../../../../../lib/dashboard/use-url-state.ts';
import { strategyNames } from './strategies.ts';

const NewQueue = whenOpen(
  async () => (await import('./NewQueue.tsx')).NewQueue,
  ({ open }) => open,
);

type LiveQueue = Answer<'GET', '/v1/tenants/{tenantRef}/reports/live'>['queues'][number];

/** The figures of now; the live board has them at once. */
const POLL_MS = 5_000;

export function QueuesPage({ tenantRef }: { tenantRef: string }) {
  const me = useMe();
  const url = useUrlState();
  const path = { tenantRef };
  const { data, error, refetch } = useGet('/v1/tenants/{tenantRef}/queues', { path });
  const { data: live } = useGet(
    '/v1/tenants/{tenantRef}/reports/live',
    { path },
    { refetchInterval: POLL_MS },
  );
  const all = data?.queues;
  const words = url.get('q').toLowerCase();
  const create = (
    <Button tone="accent" icon={<Plus className="size-4" />} onClick={() => url.set({ new: '1' })}>
      New queue
    </Button>
  );
  return (
    <Page
      title="Queues"
      description="Where callers wait, and who is asked to answer them."
      actions={me.may('manage') && create}
    >
      {error !== null ? (
        <ReadProblem what="The queues" problem={error} onRetry={() => void refetch()} />
      ) : (
        <div className="flex flex-col gap-3">
          {(all?.length ?? 0) > 0 && (
            <SearchField label="Find a queue" value={url.get('q')} onChange={(q) => url.set({ q })} />
          )}
          <Table
            label="Queues"
            columns={columnsOf(new Map(live?.queues.map((queue) => [queue.queueId, queue])))}
            rows={all?.filter(({ name, ref }) => `${name} ${ref}`.toLowerCase().includes(words))}
            rowKey={({ ref }) => ref}
            rowHref={({ ref }) => `${tenantHome(tenantRef)}/queues/${encodeURIComponent(ref)}`}
            stacked
            empty={
              all?.length === 0 ? (
                <EmptyState icon={<UsersRound />} title="No queues yet" action={me.may('manage') && create}>
                  A queue holds callers until one of its members is free. Point a line at it and its callers
                  wait here.
                </EmptyState>
              ) : (
                <EmptyState title="No queue of that name">Look for a part of its name or its ref.</EmptyState>
              )
            }
          />
        </div>
      )}
      <NewQueue
        tenantRef={tenantRef}
        open={url.get('new') !== ''}
        taken={all?.map(({ ref }) => ref) ?? []}
        onClose={() => url.set({ new: null })}
      />
    </Page>
  );
}

const columnsOf = (live: ReadonlyMap<number, LiveQueue>): Column<Queue>[] => [
  { key: 'name', header: 'Name', cell: ({ name, ref }) => <Named name={name} refText={ref} /> },
  { key: 'strategy', header: 'Rings', hideBelow: 'md', cell: ({ strategy }) => strategyNames[strategy] },
  { key: 'members', header: 'Members', align: 'end', cell: ({ members }) => members.length },
  {
    key: 'free',
    header: 'Free now',
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
