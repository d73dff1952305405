'use client';

import { Badge, ChannelBadge, type Column, whenOpen } from '@clarion/ui';
import { PhoneIncoming } from 'lucide-react';
import { ListPage } from '#lib/dashboard/edit/ListPage.tsx';
import type { Line } from '#lib/dashboard/edit/resources.ts';
import { useUrlState } from '#lib/dashboard/use-url-state.ts';
import { recordingLabel } from './line-draft.ts';
import { useLineResources, type LineResources } from './use-line-resources.ts';
import { destinationOf } from './call-path.ts';

const LineDrawer = whenOpen(
  async () => (await import('./LineDrawer.tsx')).LineDrawer,
  ({ target }) => target !== null,
);

export function LinesPage({ tenantRef }: { tenantRef: string }) {
  const url = useUrlState();
  const around = useLineResources(tenantRef);
  const { lines, error, retry } = around;
  return (
    <ListPage
      title="Lines"
      description="The phone and WhatsApp numbers of this tenant, and where their calls go."
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
        text: 'A line is a phone number or a WhatsApp number. Add one and choose the queue in which its callers wait for an agent.',
      }}
      noneFits={{ title: 'No matching lines', text: 'Search by name, number or ref.' }}
    >
      {({ target, onClose }) => (
        <LineDrawer
          tenantRef={tenantRef}
          target={target}
          around={around}
          prefill={{ trunkId: url.get('trunk'), address: url.get('number') }}
          onClose={() => {
            onClose();
            url.set({ trunk: null, number: null });
          }}
        />
      )}
    </ListPage>
  );
}

const columnsOf = ({ queues, agents, flows }: LineResources): Column<Line>[] => [
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
    cell: ({ ref, inboundQueueId, ownerAgentId }) => {
      const owner = agents.find(({ id }) => id === ownerAgentId) ?? null;
      if (ownerAgentId !== null && owner === null) return <span className="text-muted">Deleted agent</span>;
      const { name, exception } = destinationOf({
        owner,
        queue: queues.find(({ id }) => id === inboundQueueId) ?? null,
        flows: flows.filter(({ channelRef }) => channelRef === ref),
      });
      return (
        <span className="flex min-w-0 flex-col">
          {name}
          {exception !== null && <span className="text-xs text-muted">{exception}</span>}
        </span>
      );
    },
  },
  {
    key: 'type',
    header: 'Type',
    hideBelow: 'md',
    cell: ({ type }) => <ChannelBadge channel={type} />,
  },
  {
    key: 'recording',
    header: 'Recorded',
    hideBelow: 'lg',
    cell: (line) => recordingLabel(line),
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
