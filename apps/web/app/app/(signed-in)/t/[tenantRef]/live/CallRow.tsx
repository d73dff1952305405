'use client';

import type { BoardCall } from '@clarion/sdk';
import {
  Badge,
  Button,
  ChannelBadge,
  classNames,
  customerLabel,
  LiveTimer,
  TextLink,
  type Tone,
} from '@clarion/ui';
import { CircleDot, Headphones, PhoneOff } from 'lucide-react';
import { memo } from 'react';
import type { RowPlace } from './VirtualRows.tsx';
import { useCall, useLocalTime, useTools } from './live-context.ts';

/** Columns of a wide row: caller and line, queue, agent, state, time, actions. */
export const callColumns =
  'grid grid-cols-[minmax(0,1.5fr)_minmax(0,1fr)_minmax(0,1fr)_6.5rem_4rem_5rem] items-center gap-x-3 px-4';

export const CallRow = memo(function CallRow({
  callId,
  rowIndex,
  top,
  height,
  narrow,
}: RowPlace & { callId: number; narrow: boolean }) {
  const call = useCall(callId);
  if (call === undefined) return null;
  return (
    <div
      role="row"
      aria-rowindex={rowIndex}
      data-call={callId}
      style={{ top, height }}
      className={classNames(
        'absolute inset-x-0 border-b border-line text-md hover:bg-raised',
        narrow ? 'grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 px-4' : callColumns,
      )}
    >
      {narrow ? <NarrowCells call={call} /> : <WideCells call={call} />}
    </div>
  );
});

function WideCells({ call }: { call: BoardCall }) {
  return (
    <>
      <div role="cell" className="min-w-0">
        <div className="flex min-w-0 items-center gap-2">
          <Who call={call} />
          <Marks call={call} />
        </div>
        <div className="truncate text-sm text-muted" title={call.channelRef}>
          {call.channelName ?? call.channelRef}
        </div>
      </div>
      <div role="cell" className="truncate text-muted">
        {call.queue?.name ?? <Nothing />}
      </div>
      <div role="cell" className="truncate">
        {call.agent?.name ?? <Nothing />}
      </div>
      <div role="cell">
        <StateBadge call={call} />
      </div>
      <div role="cell" className="text-right">
        <Time call={call} />
      </div>
      <div role="cell" className="flex justify-end">
        <Actions call={call} />
      </div>
    </>
  );
}

function NarrowCells({ call }: { call: BoardCall }) {
  return (
    <>
      <div role="cell" className="min-w-0">
        <div className="flex min-w-0 items-center gap-2">
          <Who call={call} />
          <Marks call={call} />
        </div>
        <div className="mt-1 flex min-w-0 items-center gap-2 text-sm text-muted">
          <StateBadge call={call} />
          <Time call={call} />
          <span className="truncate">{call.agent?.name ?? call.queue?.name ?? call.channelName}</span>
        </div>
      </div>
      <div role="cell" className="flex">
        <Actions call={call} />
      </div>
    </>
  );
}

function Who({ call: { callId, customer } }: { call: BoardCall }) {
  const { tenantRef } = useTools();
  return (
    <TextLink
      href={`/app/t/${encodeURIComponent(tenantRef)}/calls/${callId}`}
      className="min-w-0 truncate font-medium text-ink! tabular-nums no-underline! hover:underline!"
    >
      {customerLabel(customer, 'Unknown caller')}
    </TextLink>
  );
}

function Marks({ call: { channelType, recording, monitors } }: { call: BoardCall }) {
  return (
    <>
      <ChannelBadge channel={channelType} compact />
      {recording !== 'OFF' && (
        <span
          role="img"
          aria-label={recording === 'ON' ? 'Recorded' : 'Recording paused'}
          title={recording === 'ON' ? 'Recorded' : 'Recording paused'}
          className={classNames('shrink-0', recording === 'ON' ? 'text-negative-text' : 'text-muted')}
        >
          <CircleDot className="size-3.5" aria-hidden />
        </span>
      )}
      {monitors.length > 0 && (
        <span
          role="img"
          aria-label={`Listening: ${monitors.map(({ name }) => name).join(', ')}`}
          title={monitors.map(({ name, mode }) => `${name}: ${MODES[mode]}`).join('\n')}
          className="flex shrink-0 items-center gap-0.5 text-xs text-accent"
        >
          <Headphones className="size-3.5" aria-hidden />
          {monitors.length > 1 && monitors.length}
        </span>
      )}
    </>
  );
}

const MODES = { LISTEN: 'listens', WHISPER: 'whispers', BARGE: 'speaks' } as const;

export function stateOf({ state, held, queue, direction }: BoardCall): { label: string; tone: Tone } {
  if (state === 'active')
    return held ? { label: 'On hold', tone: 'warning' } : { label: 'Talking', tone: 'positive' };
  if (state === 'ringing') return { label: direction === 'OUTBOUND' ? 'Calling' : 'Ringing', tone: 'accent' };
  return queue === null
    ? { label: 'In an IVR flow', tone: 'neutral' }
    : { label: 'Waiting', tone: 'warning' };
}

function StateBadge({ call }: { call: BoardCall }) {
  const { label, tone } = stateOf(call);
  return (
    <Badge tone={tone} dot>
      {label}
    </Badge>
  );
}

/** Since the answer; before that, since the start of the wait or of the call. */
function Time({ call: { answeredAt, waitingSince, createdAt, state } }: { call: BoardCall }) {
  const local = useLocalTime();
  const since = state === 'active' ? (answeredAt ?? createdAt) : (waitingSince ?? createdAt);
  return <LiveTimer since={local(since)} />;
}

function Actions({ call }: { call: BoardCall }) {
  const { live, listening, endCall } = useTools();
  const { callId } = call;
  const who = customerLabel(call.customer, 'the caller');
  const isMonitored = listening.monitored?.callId === callId;
  return (
    <>
      {call.state === 'active' && live.modes.includes('listen') && (
        <Button
          tone={isMonitored ? 'accent' : 'plain'}
          size="sm"
          aria-pressed={isMonitored}
          aria-label={isMonitored ? `Stop listening to ${who}` : `Listen to ${who}`}
          title={isMonitored ? 'Stop listening' : 'Listen'}
          disabled={live.state !== 'live'}
          icon={<Headphones className="size-4.5" aria-hidden />}
          className="px-2!"
          onClick={() => (isMonitored ? listening.stop() : listening.start(callId))}
        />
      )}
      {endCall !== null && (
        <Button
          tone="plain"
          size="sm"
          aria-label={`End the call with ${who}`}
          title="End the call"
          disabled={live.state !== 'live'}
          icon={<PhoneOff className="size-4.5" aria-hidden />}
          className="px-2! text-muted hover:text-negative-text"
          onClick={() => endCall(callId)}
        />
      )}
    </>
  );
}

const Nothing = () => <span className="text-muted">–</span>;
