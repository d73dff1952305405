'use client';

import { Badge, IconButton, Menu, RelativeTime, useToasts, type Column } from '@clarion/ui';
import { Copy, EllipsisVertical, Pause, Play, Trash2 } from 'lucide-react';
import { useRouter } from 'next/navigation.js';
import { Named } from '#lib/dashboard/edit/Named.tsx';
import { problemMessage } from '#lib/dashboard/edit/error-messages.ts';
import type { Flow, Line, Queue } from '#lib/dashboard/edit/resources.ts';
import { suggestRef } from '#lib/dashboard/edit/suggest-ref.ts';
import { useChange } from '#lib/dashboard/queries.ts';
import { request, RequestProblem } from '#lib/dashboard/request.ts';
import { beginningAddress } from '#lib/flow-builder/address.ts';
import { bodyOf, draftOf } from '#lib/flow-builder/draft.ts';
import { triggerLabels } from '#lib/flow-builder/labels.ts';

interface Around {
  tenantRef: string;
  lines: readonly Line[];
  queues: readonly Queue[];
  manages: boolean;
  onDelete(flow: Flow): void;
}

export const columnsOf = (around: Around): Column<Flow>[] => [
  {
    key: 'name',
    header: 'Name',
    cell: ({ name, ref }) => (
      <span className="block max-w-96 [overflow-wrap:anywhere]">
        <Named name={name} refText={ref} />
      </span>
    ),
  },
  { key: 'line', header: 'Line', cell: (flow) => <LineOf flow={flow} lines={around.lines} /> },
  { key: 'when', header: 'Answers', cell: ({ triggerCondition }) => triggerLabels[triggerCondition].label },
  {
    key: 'queues',
    header: 'Queues',
    hideBelow: 'md',
    cell: (flow) => {
      const names = queuesOf(flow, around.queues);
      return names.length === 0 ? <span className="text-muted">None</span> : names.join(', ');
    },
  },
  {
    key: 'status',
    header: 'Status',
    cell: ({ status }) => (
      <Badge tone={status === 'ACTIVE' ? 'positive' : 'neutral'} dot>
        {status === 'ACTIVE' ? 'Active' : 'Off'}
      </Badge>
    ),
  },
  {
    key: 'changed',
    header: 'Updated',
    hideBelow: 'md',
    nowrap: true,
    cell: ({ updatedAt }) => <RelativeTime at={updatedAt} />,
  },
  ...(around.manages
    ? [
        {
          key: 'more',
          header: <span className="sr-only">More</span>,
          align: 'end' as const,
          width: '3.5rem',
          cell: (flow: Flow) => <RowMenu flow={flow} around={around} />,
        },
      ]
    : []),
];

function LineOf({ flow, lines }: { flow: Flow; lines: readonly Line[] }) {
  const line = lines.find(({ ref }) => ref === flow.channelRef);
  return (
    <span className="flex min-w-0 flex-col">
      <span className="truncate">{line?.displayName ?? flow.channelRef}</span>
      {line !== undefined && <span className="text-xs text-muted tabular-nums">{line.address}</span>}
    </span>
  );
}

/** Names of the queues that a flow sends callers to. */
function queuesOf({ structure }: Flow, queues: readonly Queue[]): string[] {
  const ids = new Set(
    structure.nodes.flatMap((node) =>
      node.type === 'ivr_transfer' && node.data.targetType === 'queue' ? [node.data.targetId] : [],
    ),
  );
  return queues.filter(({ id }) => ids.has(id)).map(({ name }) => name);
}

function RowMenu({ flow, around: { tenantRef, onDelete } }: { flow: Flow; around: Around }) {
  const router = useRouter();
  const toasts = useToasts();
  const put = useChange('PUT', '/v1/tenants/{tenantRef}/ivr-flows/{flowRef}', {
    invalidates: ['/v1/tenants/{tenantRef}/ivr-flows'],
  });
  const isOn = flow.status === 'ACTIVE';
  const path = { tenantRef, flowRef: flow.ref };
  const setStatus = async (status: Flow['status']) => {
    // Loaded again, because the flow may have changed since the list was loaded and PUT replaces all of it.
    const { ivrFlow } = await request('GET', '/v1/tenants/{tenantRef}/ivr-flows/{flowRef}', { path });
    await put.mutateAsync({ path, body: { ...bodyOf(draftOf(ivrFlow)), status } });
  };
  const toggle = async () => {
    try {
      await setStatus(isOn ? 'DISABLED' : 'ACTIVE');
      toasts.add({
        title: isOn ? `${flow.name} was turned off` : `${flow.name} was turned on`,
        description: isOn ? 'New calls go to the line’s other flows or its queue.' : 'It answers new calls.',
        undo: () => setStatus(flow.status),
      });
    } catch (error) {
      if (!(error instanceof RequestProblem)) throw error;
      toasts.add({
        tone: 'negative',
        title: 'The flow was not changed',
        description: problemMessage(error),
      });
    }
  };
  const duplicate = () => {
    const name = `${flow.name} (copy)`;
    const beginning = {
      name,
      channelRef: flow.channelRef,
      triggerCondition: flow.triggerCondition,
      copyOf: flow.ref,
    };
    router.push(beginningAddress(tenantRef, suggestRef(name) || `${flow.ref}-copy`, beginning));
  };
  return (
    <Menu
      label={`Actions for ${flow.name}`}
      trigger={<IconButton size="sm" label={`Actions for ${flow.name}`} icon={<EllipsisVertical />} />}
      items={[
        {
          label: isOn ? 'Turn off' : 'Turn on',
          icon: isOn ? <Pause /> : <Play />,
          onSelect: () => void toggle(),
        },
        { label: 'Duplicate', icon: <Copy />, onSelect: duplicate },
        { label: 'Delete', icon: <Trash2 />, tone: 'negative', onSelect: () => onDelete(flow) },
      ]}
    />
  );
}
