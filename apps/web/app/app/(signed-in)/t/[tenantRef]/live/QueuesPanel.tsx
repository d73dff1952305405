'use client';

import {
  Button,
  ChannelBadge,
  classNames,
  customerLabel,
  EmptyState,
  LiveTimer,
  TextLink,
} from '@clarion/ui';
import { ListOrdered } from 'lucide-react';
import { memo } from 'react';
import { useBoard, useCall, useLocalTime, useQueue, useTools } from './live-context.ts';
import { Panel } from './Panel.tsx';

/** The most waiting callers shown per queue. The list of calls has all of them. */
const MAX_SHOWN = 3;

export function QueuesPanel({
  chosen,
  onChoose,
}: {
  chosen: number | null;
  onChoose(queueId: number | null): void;
}) {
  const ids = useBoard((store) => store.queueIds());
  return (
    <Panel
      title="Queues"
      count={ids.length}
      className="lg:max-h-[60%]"
      tools={
        chosen !== null && (
          <Button size="sm" tone="plain" onClick={() => onChoose(null)}>
            Show all
          </Button>
        )
      }
    >
      <ul aria-label="Queues" className="min-h-0 divide-y divide-line overflow-y-auto overscroll-contain">
        {ids.map((queueId) => (
          <QueueRow key={queueId} queueId={queueId} chosen={chosen === queueId} onChoose={onChoose} />
        ))}
      </ul>
      {ids.length === 0 && <NoQueues />}
    </Panel>
  );
}

const QueueRow = memo(function QueueRow({
  queueId,
  chosen,
  onChoose,
}: {
  queueId: number;
  chosen: boolean;
  onChoose(queueId: number | null): void;
}) {
  const queue = useQueue(queueId);
  const waiters = useBoard((store) => store.waitingIn(queueId));
  const local = useLocalTime();
  if (queue === undefined) return null;
  const { name, waiting, longestWaitingSince, agents } = queue;
  const more = Math.max(0, waiting - Math.min(waiters.length, MAX_SHOWN));
  return (
    <li data-queue={queueId} className={classNames('px-4 py-2.5', chosen && 'bg-accent-soft')}>
      <button
        type="button"
        aria-pressed={chosen}
        onClick={() => onChoose(chosen ? null : queueId)}
        className="cl-focus -mx-1 grid w-[calc(100%+0.5rem)] grid-cols-[minmax(0,1fr)_auto] gap-x-3 rounded-md px-1 text-left text-md pointer-coarse:min-h-11"
      >
        <span className="truncate font-medium">{name}</span>
        <span
          className={classNames('tabular-nums', waiting > 0 ? 'font-semibold text-warning' : 'text-muted')}
        >
          {waiting === 0 ? 'No one waiting' : `${waiting} waiting`}
          {longestWaitingSince !== null && (
            <>
              {' · '}
              <LiveTimer since={local(longestWaitingSince)} />
            </>
          )}
        </span>
        <span className="col-span-2 text-sm text-muted tabular-nums">
          {agents.available} available · {agents.onCall} on a call · {agents.offline} away
        </span>
      </button>
      {waiters.length > 0 && (
        <ul aria-label={`Waiting in ${name}`} className="mt-1.5 flex flex-col gap-0.5 text-sm">
          {waiters.slice(0, MAX_SHOWN).map((callId) => (
            <Waiter key={callId} callId={callId} />
          ))}
          {more > 0 && <li className="text-muted">and {more} more</li>}
        </ul>
      )}
    </li>
  );
});

function Waiter({ callId }: { callId: number }) {
  const call = useCall(callId);
  const local = useLocalTime();
  if (!call?.waitingSince) return null;
  return (
    <li className="flex justify-between gap-3">
      <span className="flex min-w-0 items-center gap-1.5">
        <ChannelBadge channel={call.channelType} compact />
        <span className="truncate tabular-nums">
          {customerLabel(call.customer, 'Unknown caller')}
          {call.state === 'ringing' && <span className="text-muted"> · ringing</span>}
        </span>
      </span>
      <LiveTimer since={local(call.waitingSince)} className="text-muted" />
    </li>
  );
}

function NoQueues() {
  const { tenantRef, live } = useTools();
  if (live.state === 'connecting') return <p className="px-4 py-12 text-center text-muted">Connecting…</p>;
  return (
    <EmptyState icon={<ListOrdered />} title="No queues yet">
      Callers wait in a queue until an agent is available. Create a queue to see who is waiting and for how
      long. <TextLink href={`/app/t/${encodeURIComponent(tenantRef)}/queues`}>Create queue</TextLink>
    </EmptyState>
  );
}
