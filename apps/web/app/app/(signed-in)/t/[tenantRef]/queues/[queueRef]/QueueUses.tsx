'use client';

import { Notice, TextLink } from '@clarion/ui';
import type { ReactNode } from 'react';
import type { Queue } from '#lib/dashboard/edit/resources.ts';
import { tenantHome } from '#lib/dashboard/navigation.tsx';
import { useGet } from '#lib/dashboard/queries.ts';

interface QueueUsesProps {
  tenantRef: string;
  queue: Queue;
  queues: readonly Queue[];
}

/** Where its callers come from. */
export function QueueUses({ tenantRef, queue, queues }: QueueUsesProps) {
  const path = { tenantRef };
  const { data: lines } = useGet('/v1/tenants/{tenantRef}/channels', { path });
  const { data: flows } = useGet('/v1/tenants/{tenantRef}/ivr-flows', { path });
  if (lines === undefined || flows === undefined) return null;
  const home = tenantHome(tenantRef);
  const uses = [
    ...lines.channels
      .filter(({ inboundQueueId }) => inboundQueueId === queue.id)
      .map(({ ref, displayName, address }) => ({
        href: `${home}/lines?open=${encodeURIComponent(ref)}`,
        label: displayName ?? address,
        what: 'line',
      })),
    ...flows.ivrFlows
      .filter(({ structure }) => structure.nodes.some((node) => leadsTo(node, queue.id)))
      .map(({ ref, name }) => ({
        href: `${home}/flows/${encodeURIComponent(ref)}`,
        label: name,
        what: 'flow',
      })),
    ...queues
      .filter(({ overflowQueueId }) => overflowQueueId === queue.id)
      .map(({ ref, name }) => ({
        href: `${home}/queues/${encodeURIComponent(ref)}`,
        label: name,
        what: 'overflow of',
      })),
  ];
  if (uses.length === 0) {
    return (
      <Notice tone="warning" title="No calls reach this queue yet">
        Point a <TextLink href={`${home}/lines`}>line</TextLink> at this queue, or let a{' '}
        <TextLink href={`${home}/flows`}>flow</TextLink> send callers to it.
      </Notice>
    );
  }
  return (
    <p className="text-md text-muted">
      Callers come from{' '}
      {joined(
        uses.map(({ href, label, what }) => (
          <span key={href}>
            {what === 'overflow of' ? 'the overflow of' : `the ${what}`}{' '}
            <TextLink href={href}>{label}</TextLink>
          </span>
        )),
      )}
      .
    </p>
  );
}

type Node = { type: string; data: object };
const leadsTo = ({ data }: Node, queueId: number): boolean =>
  'targetType' in data && data.targetType === 'queue' && 'targetId' in data && data.targetId === queueId;

const joined = (parts: readonly ReactNode[]): ReactNode[] =>
  parts.flatMap((part, index) =>
    index === 0 ? [part] : [index === parts.length - 1 ? ' and ' : ', ', part],
  );
