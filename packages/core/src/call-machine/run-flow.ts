/** The flow of an inbound call: enters it, applies the interpreter's results, leaves it to a queue or an agent, and returns to it. */
import { OVERFLOW } from '@clarion/protocol/ivr/nodes/transfer';
import type { Source } from '@clarion/protocol/media';
import { hasExit, interpret } from '../ivr/interpret.ts';
import type { FlowInput, NextStep } from '../ivr/interpret.ts';
import type { Flow, FlowRun, Waited } from '../ivr/flow-run.ts';
import type { Effect } from './effects.ts';
import { outcomes } from './outcome.ts';
import type { InboundBase, IvrState } from './state.ts';
import type { OverflowHop } from '../queue-routing/overflow-hop.ts';
import { ANSWER_CONFIRM_MS, FIND_AGENT_MS } from './timing.ts';
import { heardByCaller } from './hold-audio.ts';
import { enterWaiting } from './in-queue.ts';
import { sessionBegins, sessionEnds } from './ivr-session.ts';
import { inboundBaseOf, end, enterQueue, media } from './shared.ts';
import type { Step } from './shared.ts';

/** What the caller hears while an agent named by the flow rings. */
const RINGBACK: Source = { kind: 'tone', tone: 'ringback' };

/** The carrier is answered first, because only then can the caller hear audio and press keys. */
export function beginFlow(base: InboundBase, now: number, effects: Effect[]): Step {
  const { flow } = base;
  if (!flow) throw new Error('the call has no flow to start');
  const state: IvrState = {
    ...inboundBaseOf(base),
    phase: 'ivr',
    flow,
    seeking: null,
    wakeAt: now + ANSWER_CONFIRM_MS,
  };
  return {
    state,
    effects: [
      ...effects,
      { kind: 'patch', patch: { status: 'RINGING' } },
      ...sessionBegins(flow),
      { kind: 'leg', leg: 'CUSTOMER', state: 'CONNECTING' },
      media(state, { command: 'carrier:answer', legId: state.carrierLegId }),
    ],
  };
}

/** Applies one input to the flow, and then what the interpreter returns. */
export function runFlow(
  before: IvrState,
  flow: Flow | null,
  input: FlowInput,
  now: number,
  effects: Effect[] = [],
): Step {
  if (!flow) return end(before, outcomes.systemError('The flow does not exist.'), now);
  const { run, notes, next } = interpret(flow, before.flow, input, now, `flow-${before.plays + 1}`);
  const state = { ...before, flow: run, seeking: null };
  const noted = notes.map((note): Effect => ({ kind: 'ivr', change: 'input', ...note }));
  const said = [...effects, ...noted];
  // An agent who has declined the call is not rung again, even if the caller selects them.
  if (next.kind === 'hand-over' && next.to.type === 'agent' && run.waited?.declined.includes(next.to.id))
    return runFlow(state, flow, { kind: 'overflowed' }, now, said);
  // A key or a timeout while the agent is searched for does not end the search.
  if (next.kind === 'stay') return { state: { ...before, flow: run }, effects: said };
  const barged = before.flow.playId !== null && input.kind !== 'prompt-ended';
  return follow(state, flow, next, barged, now, said);
}

function follow(
  state: IvrState,
  flow: Flow,
  next: Exclude<NextStep, { kind: 'stay' }>,
  barged: boolean,
  now: number,
  effects: Effect[],
): Step {
  switch (next.kind) {
    case 'play': {
      const { file, playId, wakeAt } = next;
      const clip: Source = { kind: 'audio', clips: [{ file }], loop: false, playId };
      const heard = heardByCaller({ ...state, plays: state.plays + 1, wakeAt }, [clip]);
      return { state: heard.state, effects: [...effects, ...heard.effects] };
    }
    case 'listen': {
      const listening = { ...state, wakeAt: next.wakeAt };
      const heard = barged ? heardByCaller(listening, []) : { state: listening, effects: [] };
      return { state: heard.state, effects: [...effects, ...heard.effects] };
    }
    case 'hand-over':
      return next.to.type === 'queue'
        ? toQueue(state, flow.queues[next.to.id] ?? [], next.to.skills, now, effects)
        : ringAgent(state, next.to.id, now, effects);
    case 'not-taken':
      // Only the search for an agent ends here. A caller who was transferred elsewhere returns only by an edge.
      return end(state, outcomes.flowAgentDidNotAnswer(), now, {
        before: [...effects, { kind: 'patch', patch: { agentId: next.to.id } }],
        ivr: 'AGENT_UNAVAILABLE',
      });
    case 'hang-up':
      return end(state, outcomes.flowHungUp(), now, { before: effects, ivr: next.because });
    case 'end':
      return flow.lineQueue.length > 0
        ? enterFirstQueue({ ...state, flow: null }, flow.lineQueue, state.flow.waited, now, [
            ...effects,
            ...sessionEnds(state.flow, 'LINE_QUEUE'),
          ])
        : end(state, outcomes.flowHungUp(), now, { before: effects, ivr: 'END' });
  }
}

function toQueue(
  state: IvrState,
  stops: OverflowHop[],
  skills: string[],
  now: number,
  effects: Effect[],
): Step {
  if (stops.length === 0)
    return end(state, outcomes.systemError('The queue does not exist.'), now, { before: effects });
  const over = [...effects, ...sessionEnds(state.flow, 'QUEUE')];
  return enterFirstQueue(state, stops, state.flow.waited, now, over, skills);
}

function ringAgent(state: IvrState, agentId: number, now: number, effects: Effect[]): Step {
  const seeking: IvrState = { ...state, seeking: agentId, wakeAt: now + FIND_AGENT_MS };
  const heard = heardByCaller(seeking, [RINGBACK]);
  return {
    state: heard.state,
    effects: [...effects, ...heard.effects, { kind: 'ring-agent', agentId }],
  };
}

/** The call waits in the first of these queues: on arrival, or transferred by a flow. */
export function enterFirstQueue(
  base: InboundBase,
  stops: OverflowHop[],
  waited: Waited | null,
  now: number,
  effects: Effect[],
  skills: string[] = [],
): Step {
  const [stop] = stops;
  if (!stop) throw new Error('a waiting call has no queue');
  const { since, declined, missed } = waited ?? { since: null, declined: [], missed: {} };
  const wait = enterQueue({ stops, since: since ?? now, declined, missed, skills }, now);
  return enterWaiting(base, wait, now, [
    ...effects,
    { kind: 'record', type: 'QUEUED', metadata: { queueRef: stop.ref } },
    { kind: 'patch', patch: { status: 'RINGING', queuedAt: now, queueId: stop.queueId } },
  ]);
}

/** Whether the flow has the exit `overflow` for a caller whom no agent answered. */
export const hasOverflowExit = (
  base: InboundBase,
  flow: Flow | null,
): base is InboundBase & { flow: FlowRun } =>
  base.flow !== null && flow !== null && hasExit(flow.structure, base.flow.nodeId, OVERFLOW);

/**
 * No agent answered a call that the flow had transferred, and `hasOverflowExit` is true, so the flow continues.
 *
 * @param waited the wait so far: the caller keeps their place, and agents who declined are not offered the call again
 * @param effects release the agents, because the call has none reserved any more
 */
export function returnToFlow(
  base: InboundBase & { flow: FlowRun },
  flow: Flow | null,
  waited: Waited,
  now: number,
  effects: Effect[],
): Step {
  const run: FlowRun = { ...base.flow, waited };
  const state: IvrState = { ...inboundBaseOf(base), phase: 'ivr', flow: run, seeking: null, wakeAt: now };
  return runFlow(state, flow, { kind: 'overflowed' }, now, [...effects, ...sessionBegins(run)]);
}
