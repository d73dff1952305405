'use client';

import { Badge, type Column, whenOpen } from '@clarion/ui';
import { PhoneIncoming } from 'lucide-react';
import { ListPage } from '../../../../../../lib/dashboard/edit/ListPage.tsx';
import type { Line } from '../../../../../../lib/dashboard/edit/resources.ts';
import { recordingWords } from './line-draft.ts';
import { useSurroundings, type Surroundings } from './use-surroundings.ts';

const LineDrawer = whenOpen(
  async () => (await import('./LineDrawer.tsx')).LineDrawer,
  ({ target }) => target !== null,
);

export function LinesPage({ tenantRef }: { tenantRef: string }) {
  const around = useSurroundings(tenantRef);
  const { lines, error, retry } = around;
  return (
    <ListPage
      title="Lines"
      description="The numbers of this tenant. What a line points at decides what happens to a call that comes in."
      newLabel="New line"
      findLabel="Find a line"
      textOf={({ displayName, address, ref }) => `${displayName ?? ''} ${address} ${ref}`}
      ignoreSpaces
      rows={lines}
      error={error}
      retry={retry}
      columns={columnsOf(around)}
      empty={{
        icon: <PhoneIncoming />,
        title: 'No lines yet',
        words:
          'A line is a number of your carrier or of WhatsApp. Point it at a queue, and its callers wait there for an agent.',
      }}
      noneFits={{ title: 'No such line', words: 'Look for a part of its name or its number.' }}
    >
      {({ target, onClose }) => (
        <LineDrawer tenantRef={tenantRef} target={target} around={around} onClose={onClose} />
      )}
    </ListPage>
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
