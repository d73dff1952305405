'use client';

import type { MonitorMode } from '@clarion/sdk';
import {
  Button,
  ChannelBadge,
  classNames,
  customerLabel,
  LiveTimer,
  Notice,
  SegmentedControl,
} from '@clarion/ui';
import { Headphones, Mic, MicOff, Square } from 'lucide-react';
import { LevelMeter } from './LevelMeter.tsx';
import { useCall, useLocalTime, useTools } from './live-context.ts';

const MODES: Record<MonitorMode, { label: string; means: string }> = {
  listen: { label: 'Listen', means: 'No one can hear you.' },
  whisper: { label: 'Whisper', means: 'Only the agent can hear you.' },
  barge: { label: 'Barge in', means: 'The agent and the customer can hear you.' },
};

/** The monitored call with its mode and a stop button, at the foot of the page. */
export function ListenBar() {
  const { monitored } = useTools().listening;
  return monitored === null ? null : <Bar callId={monitored.callId} />;
}

function Bar({ callId }: { callId: number }) {
  const { live, listening } = useTools();
  const { monitored, blocked } = listening;
  const call = useCall(callId);
  const local = useLocalTime();
  if (monitored === null) return null;
  const who = call ? customerLabel(call.customer, 'the caller') : 'the caller';
  const { modes } = live;
  const speaking = monitored.mode !== 'listen';
  return (
    <section
      aria-label="Listening"
      className="sticky bottom-3 z-20 mx-3 flex flex-col gap-3 rounded-panel border border-line bg-surface px-4 py-3 shadow-card sm:mx-6"
    >
      {blocked && (
        <Notice
          tone="warning"
          action={
            <Button size="sm" onClick={() => listening.unblock()}>
              Turn on audio
            </Button>
          }
        >
          Your browser blocks audio until you press a button.
        </Notice>
      )}
      <div className="flex flex-wrap items-center gap-x-5 gap-y-3">
        <span
          className={classNames(
            'grid size-9 shrink-0 place-items-center rounded-full',
            speaking ? 'bg-warning-soft text-warning' : 'bg-accent-soft text-accent',
          )}
        >
          {speaking ? <Mic className="size-5" aria-hidden /> : <Headphones className="size-5" aria-hidden />}
        </span>
        <div className="min-w-0 flex-1 basis-48">
          <p className="truncate text-md font-semibold">
            {who}
            {call && <ChannelBadge channel={call.channelType} compact className="ml-1.5 align-middle" />}
            {call?.agent && <span className="font-normal text-muted"> with {call.agent.name}</span>}
          </p>
          <p className="flex items-center gap-2 text-sm text-muted" role="status">
            {monitored.state === 'active' ? MODES[monitored.mode].means : 'Connecting audio…'}
            {call?.answeredAt && <LiveTimer since={local(call.answeredAt)} />}
          </p>
        </div>
        <LevelMeter stream={monitored.stream} />
        <div className="flex flex-wrap items-center gap-2">
          {modes.length > 1 && (
            <SegmentedControl
              label="Monitoring mode"
              choices={modes.map((mode) => ({ value: mode, label: MODES[mode].label }))}
              value={monitored.mode}
              onChange={(mode) => listening.setMode(mode)}
            />
          )}
          {speaking && (
            <Button
              aria-pressed={monitored.muted}
              icon={
                monitored.muted ? (
                  <MicOff className="size-4.5" aria-hidden />
                ) : (
                  <Mic className="size-4.5" aria-hidden />
                )
              }
              onClick={() => listening.mute(!monitored.muted)}
            >
              {monitored.muted ? 'Unmute' : 'Mute'}
            </Button>
          )}
          <Button
            tone="negative"
            icon={<Square className="size-4" aria-hidden />}
            onClick={() => listening.stop()}
          >
            Stop
          </Button>
        </div>
      </div>
    </section>
  );
}
