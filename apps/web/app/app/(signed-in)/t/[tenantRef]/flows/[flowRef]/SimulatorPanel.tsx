'use client';

import { Button, Definition, Notice, SwitchField, TextField, useNow } from '@clarion/ui';
import { Ear, Play, RotateCcw, SkipForward } from 'lucide-react';
import { useState, type KeyboardEvent } from 'react';
import { isOver } from '#lib/flow-builder/simulate.ts';
import type { Ending, Simulation } from '#lib/flow-builder/simulate.ts';
import { KeyGrid, KEYS } from './KeyGrid.tsx';
import { titleOf } from './node-labels.ts';
import type { Builder } from './use-builder.ts';
import type { Simulator } from './use-simulator.ts';

const TICK_MS = 250;

/** Simulates the draft, saved or not, with the interpreter that answers real calls. */
export function SimulatorPanel({ builder, simulator }: { builder: Builder; simulator: Simulator }) {
  const { simulation } = simulator;
  const [at, setAt] = useState('');
  const begin = () => simulator.start(at === '' ? null : new Date(at).getTime());
  return (
    <>
      <div>
        <h2 className="flex items-center gap-1.5 text-base font-semibold text-ink">
          <Definition term="Simulator">
            No call is placed. The simulator runs the flow with the same code that answers real calls.
          </Definition>
        </h2>
        <p className="mt-0.5 text-md text-muted">
          Play the caller: listen to the audio, press keys and see where the call goes.
        </p>
      </div>
      {!simulator.canStart && (
        <Notice tone="warning">Fix the errors marked on the steps to simulate this flow.</Notice>
      )}
      <TextField
        name="simulated-time"
        type="datetime-local"
        label="Call time"
        optional
        hint="In your time zone. Leave empty for the current time. Opening hours use their own time zone."
        value={at}
        onValueChange={setAt}
      />
      <SwitchField
        label="Play audio"
        checked={simulator.withSound}
        onCheckedChange={simulator.setWithSound}
      />
      <Button
        tone="accent"
        disabled={!simulator.canStart}
        icon={
          simulation === null ? (
            <Play className="size-4" aria-hidden />
          ) : (
            <RotateCcw className="size-4" aria-hidden />
          )
        }
        onClick={begin}
      >
        {simulation === null ? 'Start' : 'Start again'}
      </Button>
      {simulation !== null && <Running builder={builder} simulator={simulator} simulation={simulation} />}
    </>
  );
}

interface RunningProps {
  builder: Builder;
  simulator: Simulator;
  simulation: Simulation;
}

function Running({ builder, simulator, simulation }: RunningProps) {
  const { standing, wakeAt, playing } = simulation;
  const isOpen = standing.kind === 'play' || standing.kind === 'listen';
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !KEYS.includes(event.key) || !isOpen) return;
    event.preventDefault();
    simulator.press(event.key);
  };
  const sound = builder.world.sounds.find(({ id }) => id === playing?.assetId);
  return (
    <div role="group" aria-label="Simulated call" className="flex flex-col gap-4" onKeyDown={onKeyDown}>
      <div
        role="status"
        className="flex min-h-13 items-center gap-3 rounded-panel bg-raised px-3.5 py-2.5 text-md"
      >
        <Ear className="size-4.5 shrink-0 text-muted" aria-hidden />
        <span className="min-w-0 flex-1 text-ink">
          {standing.kind === 'play' && `Playing “${sound?.name ?? 'audio'}”`}
          {standing.kind === 'listen' && 'Waiting for a key'}
          {standing.kind !== 'play' && standing.kind !== 'listen' && endingText(standing, builder)}
        </span>
        {standing.kind === 'listen' && wakeAt !== null && <TimeLeft until={wakeAt} now={simulator.now} />}
      </div>
      {isOpen && (
        <>
          <KeyGrid onPress={simulator.press} />
          <Button icon={<SkipForward className="size-4" aria-hidden />} onClick={simulator.skip}>
            {standing.kind === 'play' ? 'Skip audio' : 'Press no key'}
          </Button>
        </>
      )}
      {standing.kind === 'hand-over' && <Button onClick={simulator.nobodyAnswers}>No answer</Button>}
      <ol aria-label="Simulation log" className="flex flex-col gap-1.5 border-t border-line pt-4 text-md">
        {simulation.log.map((one, index) => (
          <li key={index} className="flex items-baseline gap-2.5">
            <span className="shrink-0 text-xs text-muted tabular-nums">{clock(one.at)}</span>
            <span className="min-w-0 [overflow-wrap:anywhere] text-ink">
              {one.kind === 'came' && nameFor(one.nodeId, one.name, builder)}
              {one.kind === 'key' && <span className="font-medium">Pressed {one.key}</span>}
              {one.kind === 'waited' && <span className="text-muted">No key was pressed</span>}
              {one.kind === 'not-taken' && <span className="text-muted">No agent answered</span>}
              {one.kind === 'over' && <span className="font-semibold">{endingText(one.step, builder)}</span>}
            </span>
          </li>
        ))}
      </ol>
      {isOver(simulation) && (
        <span className="sr-only" role="status">
          The flow has ended.
        </span>
      )}
    </div>
  );
}

/** `until` is in simulated time, which may run ahead of the clock. */
function TimeLeft({ until, now }: { until: number; now(): number }) {
  useNow(TICK_MS);
  const seconds = Math.max(0, Math.ceil((until - now()) / 1000));
  return <span className="text-sm text-muted tabular-nums">{seconds} s left</span>;
}

const clock = (at: number) =>
  new Date(at).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });

function nameFor(nodeId: string, name: string, { draft }: Builder): string {
  const node = draft.nodes.find(({ id }) => id === nodeId);
  return node ? titleOf(node) : name;
}

/** "To queue Sales" */
function endingText(step: Ending, { world, draft }: Builder): string {
  const named = (type: 'queue' | 'agent', id: number) =>
    (type === 'agent' ? world.agents : world.queues).find((one) => one.id === id)?.name ?? String(id);
  switch (step.kind) {
    case 'hand-over':
      return `To ${step.to.type} ${named(step.to.type, step.to.id)}`;
    case 'not-taken':
      return step.to.type === 'agent'
        ? 'The agent does not answer and the call ends'
        : 'No agent of the queue answers in time and the call ends';
    case 'hang-up':
      return step.because === 'NO_INPUT' ? 'Hung up: no key was pressed' : 'Hung up';
    case 'end': {
      const line = world.lines.find(({ ref }) => ref === draft.channelRef);
      const queue = world.queues.find(({ id }) => id === line?.inboundQueueId);
      return queue ? `Flow ends: to the line’s queue ${queue.name}` : 'Flow ends: the call ends';
    }
  }
}
