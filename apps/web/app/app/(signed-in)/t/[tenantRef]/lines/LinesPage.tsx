'use client';

import { Badge, Button, EmptyState, Page, SearchField, Table, type Column, whenOpen } from '@clarion/ui';
import { PhoneIncoming, Plus } from 'lucide-react';
import { ReadProblem } from '../../../../../../lib/dashboard/edit/ReadProblem.tsx';
import type { Line } from '../../../../../../lib/dashboard/edit/resources.ts';
import { useMe } from '../../../../../../lib/dashboard/me.tsx';
import { useUrlState } from '../../../../../../lib/dashboard/use-url-state.ts';
import { recordingWords } from './line-draft.ts';
import { useSurroundings, type Surroundings } from './use-surroundings.ts';

const LineDrawer = whenOpen(
  async () => (await import('./LineDrawer.tsx')).LineDrawer,
  ({ target }) => target !== null,
);

export function LinesPage({ tenantRef }: { tenantRef: string }) {
  const me = useMe();
  const url = useUrlState();
  const around = useSurroundings(tenantRef);
  const { lines: all, error, retry } = around;
  const words = url.get('q').toLowerCase().replaceAll(' ', '');
  const open = all?.find(({ ref }) => ref === url.get('open')) ?? null;
  const create = (
    <Button
      tone="accent"
      icon={<Plus className="size-4" />}
      onClick={() => url.set({ new: '1', open: null })}
    >
      New line
    </Button>
  );
  return (
    <Page
      title="Lines"
      description="The numbers of this tenant. What a line points at decides what happens to a call that comes in."
      actions={me.may('manage') && create}
    >
      {error !== null ? (
        <ReadProblem what="The lines" problem={error} onRetry={retry} />
      ) : (
        <div className="flex flex-col gap-3">
          {(all?.length ?? 0) > 0 && (
            <SearchField label="Find a line" value={url.get('q')} onChange={(q) => url.set({ q })} />
          )}
          <Table
            label="Lines"
            columns={columnsOf(around)}
            rows={all?.filter(({ displayName, address, ref }) =>
              `${displayName ?? ''} ${address} ${ref}`.toLowerCase().replaceAll(' ', '').includes(words),
            )}
            rowKey={({ ref }) => ref}
            onRowOpen={({ ref }) => url.set({ open: ref })}
            current={open?.ref ?? null}
            stacked
            empty={
              all?.length === 0 ? (
                <EmptyState icon={<PhoneIncoming />} title="No lines yet" action={me.may('manage') && create}>
                  A line is a number of your carrier or of WhatsApp. Point it at a queue, and its callers wait
                  there for an agent.
                </EmptyState>
              ) : (
                <EmptyState title="No such line">Look for a part of its name or its number.</EmptyState>
              )
            }
          />
        </div>
      )}
      <LineDrawer
        tenantRef={tenantRef}
        target={url.get('new') === '' ? open : 'new'}
        around={around}
        onClose={() => url.set({ new: null, open: null })}
      />
    </Page>
  );
}

const columnsOf = ({ queues, agents }: Surroundings): Column<Line>[] => [
  {
    key: 'name',
    header: 'Line',
    cell: ({ displayName, address }) => (
      <span className="flex min-w-0 flex-col">
        <span className="truncate font-medium tabular-nums">{displayName ?? address}</span>
        {displayName !== null && (
          <span className="text-xs font-normal text-muted tabular-nums">{address}</span>
        )}
      </span>
    ),
  },
  {
    key: 'to',
    header: 'Calls go to',
    cell: ({ inboundQueueId, ownerAgentId }) => {
      const queue = queues.find(({ id }) => id === inboundQueueId);
      const owner = agents.find(({ id }) => id === ownerAgentId);
      if (queue) return `Queue ${queue.name}`;
      if (owner) return owner.name;
      return (
        <span className="text-muted">{ownerAgentId === null ? 'Calls out only' : 'A deleted agent'}</span>
      );
    },
  },
  {
    key: 'type',
    header: 'Type',
    hideBelow: 'md',
    cell: ({ type }) => (type === 'SIP' ? 'Phone' : 'WhatsApp'),
  },
  {
    key: 'recording',
    header: 'Recorded',
    hideBelow: 'lg',
    cell: (line) => recordingWords(line),
  },
  {
    key: 'status',
    header: 'Status',
    cell: ({ status }) =>
      status === 'ACTIVE' ? (
        <Badge tone="positive" dot>
          Active
        </Badge>
      ) : (
        <Badge dot>Disabled</Badge>
      ),
  },
];
