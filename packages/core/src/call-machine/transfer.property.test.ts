/** Invariants of a transferred conversation for any events: no agent is left ringing, reserved or without notification. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LegEnd } from '@clarion/protocol/media';
import { beginInboundCall } from './arrival.ts';
import { isRelease } from './effects.ts';
import type { Effect } from './effects.ts';
import type { CallEvent } from './event.ts';
import { nextDeadline, step } from './machine.ts';
import { agentSidesOf, reservedAgentIds, waitOf } from './state.ts';
import type { CallState } from './state.ts';
import type { OverflowHop } from '../queue-routing/overflow-hop.ts';

const T0 = 1_700_000_000_000;
const AGENTS = [1, 2, 3, 4];
const stop = (queueId: number): OverflowHop => ({
  queueId,
  ref: `q${queueId}`,
  ringTimeoutSeconds: 20,
  maxWaitSeconds: 60,
  holdAudio: queueId === 10 ? 'music' : null,
  wrapUpSeconds: 5,
  announce: { position: true, wait: false, everySeconds: 15 },
  callbackKey: null,
  skillsWaitSeconds: null,
  answerWhileWaiting: false,
});

const end: LegEnd = {
  cause: 'media-error',
  sipStatus: null,
  sipReason: null,
  q850: null,
  provisional: false,
  message: 'gone',
};

/** Events by role; the state determines which agent, leg and queue have that role. */
const actions = [
  'to-agent',
  'to-agent',
  'to-queue',
  'cancel',
  'offer',
  'offer-all',
  'accept',
  'accept',
  'accept-late',
  'decline',
  'connected',
  'connected',
  'leg-lost',
  'leg-silent',
  'taking-lost',
  'taking-hangs-up',
  'gone',
  'back',
  'removed',
  'resume',
  'hold',
  'tick',
  'deadline',
] as const;
const ends = ['hangup', 'customer', 'terminate', 'media-lost'] as const;
type Action = (typeof actions)[number] | (typeof ends)[number];

/** The usual next event: purely random events would hardly ever complete a transfer. */
function forward(state: CallState, seed: number): Action {
  const transfer = state.phase === 'talking' ? state.transfer : null;
  if (!transfer) return seed % 2 === 0 ? 'to-agent' : 'to-queue';
  if (transfer.accepted) return 'connected';
  return transfer.offers.length > 0 ? 'accept' : 'offer-all';
}

function eventOf(chosen: Action | 'forward', state: CallState, seed: number): CallEvent {
  const action = chosen === 'forward' ? forward(state, seed) : chosen;
  const talking = state.phase === 'talking' ? state : null;
  const holder = talking?.agent.agentId ?? 1;
  const anybody = AGENTS[seed % AGENTS.length] ?? 1;
  const transfer = talking?.transfer;
  const rung = transfer?.offers[seed % 2]?.agentId ?? transfer?.offers[0]?.agentId ?? anybody;
  const taking = transfer?.accepted?.side;
  const somebody = seed % 3 === 0 ? holder : seed % 3 === 1 ? rung : (taking?.agentId ?? anybody);
  const queueId = waitOf(state)?.stops[0]?.queueId ?? 10;
  const ringTimeoutSeconds = 20;
  switch (action) {
    case 'to-agent':
      return {
        type: 'transfer',
        agentId: holder,
        to: { kind: 'agent', agentId: anybody, ringTimeoutSeconds: 30 },
      };
    case 'to-queue':
      return { type: 'transfer', agentId: holder, to: { kind: 'queue', stops: [stop(10), stop(11)] } };
    case 'cancel':
      return { type: 'transfer-cancel', agentId: seed % 4 === 0 ? anybody : holder };
    case 'offer':
      return { type: 'offer', queueId, agentIds: [anybody], ringTimeoutSeconds };
    case 'offer-all':
      return { type: 'offer', queueId: seed % 5 === 0 ? 12 : queueId, agentIds: AGENTS, ringTimeoutSeconds };
    case 'accept':
      return { type: 'accept', agentId: rung, deviceId: 'desk', legId: `leg-${seed}` };
    case 'accept-late':
      return { type: 'accept', agentId: anybody, deviceId: 'phone', legId: `leg-${seed}` };
    case 'decline':
      return { type: 'decline', agentId: rung };
    case 'connected':
      return { type: 'leg-connected', legId: taking?.legId ?? `leg-${seed}`, codec: 'PCMA' };
    case 'leg-lost':
      return { type: 'leg-ended', legId: talking?.agent.legId ?? '', end, stats: null };
    case 'leg-silent':
      return {
        type: 'leg-ended',
        legId: transfer ? (talking?.agent.legId ?? '') : '',
        end: { ...end, cause: 'rtp-timeout' },
        stats: null,
      };
    case 'taking-lost':
      return { type: 'leg-ended', legId: taking?.legId ?? '', end, stats: null };
    case 'taking-hangs-up':
      return { type: 'hangup', agentId: taking?.agentId ?? rung };
    case 'gone':
      return { type: 'agent-gone', agentId: somebody };
    case 'back':
      return { type: 'agent-back', agentId: somebody };
    case 'removed':
      // Removing the agent without a transfer ends the call, which other tests cover.
      return { type: 'agent-removed', agentId: transfer ? somebody : 99 };
    case 'resume':
      return { type: 'resume', agentId: somebody, deviceId: 'phone', legId: `leg-${seed}` };
    case 'hold':
      return { type: 'hold', agentId: holder, held: seed % 2 === 0 };
    case 'tick':
    case 'deadline':
      return { type: 'tick' };
    case 'hangup':
      return { type: 'hangup', agentId: holder };
    case 'customer':
      return { type: 'leg-ended', legId: 'customer', end: { ...end, cause: 'remote-bye' }, stats: null };
    case 'terminate':
      return { type: 'terminate' };
    case 'media-lost':
      return { type: 'media-lost', mediaNodeId: 'media-1' };
  }
}

const happening = fc.record({
  action: fc.oneof(
    { weight: 60, arbitrary: fc.constant<Action | 'forward'>('forward') },
    { weight: 60, arbitrary: fc.constantFrom<Action>(...actions) },
    { weight: 1, arbitrary: fc.constantFrom<Action>(...ends) },
  ),
  seed: fc.nat({ max: 1_000 }),
  waitMs: fc.oneof(
    { weight: 5, arbitrary: fc.integer({ min: 0, max: 2_000 }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 40_000 }) },
  ),
});
const histories = fc.array(happening, { minLength: 5, maxLength: 60, size: 'max' });

/** Like `expect`, but cheap, because it is called a million times. */
function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(`not so: ${what}`);
}

/** What the rows and the agents' apps show, from the effects alone. */
class Shown {
  /** Agents reserved for the call in the database. */
  readonly held = new Set([1]);
  /** Agents among the participants. */
  readonly present = new Set([1]);
  /** Agents whose apps show the call. */
  readonly apps = new Map<number, 'rings' | 'active'>([[1, 'active']]);
  openTransfer = false;
  agentOfCall = 1;
  readonly counts = { begun: 0, accepted: 0, failed: 0, transferred: 0, ended: 0 };

  take(effects: readonly Effect[], event: CallEvent): void {
    for (const effect of effects) {
      if (effect.kind === 'agent') this.#agent(effect);
      if (effect.kind === 'transfer' && effect.change === 'begin') {
        must(!this.openTransfer, 'one transfer at a time');
        this.openTransfer = true;
        this.counts.begun += 1;
      }
      if (effect.kind === 'transfer' && effect.change === 'accepted') {
        must(this.openTransfer, 'a transfer was begun');
        this.openTransfer = false;
        this.counts.accepted += 1;
      }
      if (effect.kind === 'record' && effect.type === 'TRANSFER_FAILED') {
        must(this.openTransfer, 'a transfer was begun');
        this.openTransfer = false;
        this.counts.failed += 1;
      }
      if (effect.kind === 'publish' && effect.event === 'call.transferred') this.counts.transferred += 1;
      if (effect.kind === 'publish' && effect.event === 'call.ended') this.counts.ended += 1;
      if (effect.kind === 'patch' && typeof effect.patch.agentId === 'number')
        this.agentOfCall = effect.patch.agentId;
      if (effect.kind === 'join' && effect.who === 'AGENT') {
        must(!this.present.has(effect.agentId), 'an agent joins once');
        this.present.add(effect.agentId);
      }
      if (effect.kind === 'leave') {
        if (effect.who === 'ALL') this.present.clear();
        else if ('agentId' in effect.who)
          must(this.present.delete(effect.who.agentId), 'only participants leave');
      }
      if (effect.kind === 'notify-agent') this.#app(effect.agentId, effect.what.message);
    }
    if (event.type === 'accept' && this.present.has(event.agentId)) this.apps.set(event.agentId, 'active');
  }

  #agent({ agentId, change }: Extract<Effect, { kind: 'agent' }>): void {
    if (change === 'reserve') {
      must(!this.held.has(agentId), 'only idle agents are reserved');
      this.held.add(agentId);
    }
    if (isRelease(change)) {
      must(this.held.delete(agentId), 'only reserved agents are released');
    }
  }

  #app(agentId: number, message: string): void {
    if (message === 'incoming') this.apps.set(agentId, 'rings');
    // As in the SDK: a withdrawal does not remove a call that the agent has.
    if (message === 'withdrawn' && this.apps.get(agentId) === 'rings') this.apps.delete(agentId);
    if (message === 'left' || message === 'ended') this.apps.delete(agentId);
  }
}

function begin(): CallState {
  const route = { kind: 'owner', agentId: 1, ringTimeoutSeconds: 30, owner: 'reserved' } as const;
  const arrival = { callId: 7, record: false, mediaPath: 'ROOM', mediaNodeId: 'media-1', route } as const;
  let { state } = beginInboundCall({ ...arrival, carrierLegId: 'customer' }, T0);
  const events: CallEvent[] = [
    { type: 'accept', agentId: 1, deviceId: 'desk', legId: 'leg-0' },
    { type: 'leg-connected', legId: 'leg-0', codec: 'PCMA' },
    { type: 'leg-connected', legId: 'customer', codec: 'PCMA' },
  ];
  for (const event of events) ({ state } = step(state, event, T0));
  expect(state.phase).toBe('talking');
  return state;
}

interface Moment {
  before: CallState;
  after: CallState;
  effects: Effect[];
  event: CallEvent;
  shown: Shown;
  now: number;
}

function run(
  happenings: { action: Action | 'forward'; seed: number; waitMs: number }[],
  check: (moment: Moment) => void,
) {
  const shown = new Shown();
  let state = begin();
  let now = T0;
  for (const { action, seed, waitMs } of happenings) {
    now = action === 'deadline' ? Math.max(now, nextDeadline(state) ?? now) : now + waitMs;
    let event = eventOf(action, state, seed);
    if (event.type === 'offer') {
      // Dispatch reserves before it offers, only idle agents, and only for calls that wait in a queue.
      const agentIds = event.agentIds.filter((id) => !shown.held.has(id));
      if (agentIds.length === 0 || waitOf(state) === null) continue;
      for (const id of agentIds) shown.held.add(id);
      event = { ...event, agentIds };
    }
    const before = state;
    const next = step(JSON.parse(JSON.stringify(state)) as CallState, event, now);
    shown.take(next.effects, event);
    state = next.state;
    check({ before, after: state, effects: next.effects, event, shown, now });
  }
  return { state, shown, now };
}

const sorted = (ids: Iterable<number>): string => [...ids].toSorted((a, b) => a - b).join(' ');

test('the rows and the apps always show exactly the agents whom the call has reserved', () => {
  const total = { accepted: 0, failed: 0 };
  fc.assert(
    fc.property(histories, (happenings) => {
      const { shown } = run(happenings, ({ after, shown: now }) => {
        must(sorted(now.held) === sorted(reservedAgentIds(after)), 'the agents in the state are reserved');
        const talkers = agentSidesOf(after).map(({ agentId }) => agentId);
        must(
          sorted(now.present) === sorted(talkers),
          'participants are the agents who have or receive the call',
        );
        must(sorted(now.apps.keys()) === sorted(now.held), 'only the apps of reserved agents show the call');
        if (after.phase !== 'talking') return;
        must(now.openTransfer === (after.transfer !== null), 'the open transfer is the one of the state');
        must(now.agentOfCall === after.agent.agentId, "the call's agent is the one who has it");
      });
      const { accepted, transferred, ended } = shown.counts;
      expect(transferred).toBe(accepted);
      expect(ended).toBeLessThanOrEqual(1);
      total.accepted += accepted;
      total.failed += shown.counts.failed;
    }),
    { numRuns: 1_000 },
  );
  expect(total.accepted).toBeGreaterThan(500);
  expect(total.failed).toBeGreaterThan(150);
});

test('the customer hears one agent or hold audio, never both, and no agent who has left', () => {
  fc.assert(
    fc.property(histories, (happenings) => {
      run(happenings, ({ after, effects }) => {
        for (const effect of effects) {
          if (effect.kind !== 'media' || effect.order.command !== 'call:route') continue;
          if (after.phase !== 'talking') continue;
          const { route } = effect.order;
          const customer = route['customer'] ?? [];
          const { agent, transfer, held } = after;
          const playing = agent.connected || !agent.previous ? agent.legId : agent.previous.legId;
          const together = transfer === null && !held;
          const agentHears = (route[playing] ?? []).map(({ kind }) => kind);
          must(
            Object.keys(route).length === 2 && playing in route,
            'only the agent who has the call is in the route',
          );
          must(customer.length === 1 && (customer[0]?.kind === 'leg') === together, 'agent or hold audio');
          must(
            agentHears.includes('leg') === together,
            'the agent hears the customer as they hear the agent',
          );
          must(transfer === null || agentHears.join() === 'tone', 'the agent who transfers hears ringback');
        }
      });
    }),
    { numRuns: 500 },
  );
});

test('a disconnected agent ends the call only when no other agent may still accept the transfer', () => {
  fc.assert(
    fc.property(histories, (happenings) => {
      run(happenings, ({ before, after, effects, event }) => {
        if (before.phase !== 'talking' || after.phase !== 'ended') return;
        if (event.type !== 'tick' || before.transfer === null) return;
        expect(after.outcome.terminationReason).toBe('AGENT_DISCONNECTED');
        expect(effects.some((one) => one.kind === 'record' && one.type === 'TRANSFER_FAILED')).toBe(true);
      });
    }),
    { numRuns: 500 },
  );
});

test('no transfer lasts for ever: ticks alone complete it, return the call, or end it', () => {
  fc.assert(
    fc.property(histories, (happenings) => {
      const { state: last, shown, now } = run(happenings, () => undefined);
      let state = last;
      let clock = now;
      for (let rounds = 0; rounds < 50; rounds += 1) {
        const deadline = nextDeadline(state);
        if (deadline === null) break;
        clock = Math.max(clock, deadline);
        const next = step(state, { type: 'tick' }, clock);
        expect(next.state).not.toBe(state);
        shown.take(next.effects, { type: 'tick' });
        state = next.state;
      }
      if (state.phase === 'talking') expect(state.transfer).toBeNull();
      expect(sorted(shown.held)).toEqual(sorted(reservedAgentIds(state)));
    }),
    { numRuns: 500 },
  );
});

test('a queue never offers the call to an agent who declined it, in this transfer or one before', () => {
  fc.assert(
    fc.property(histories, (happenings) => {
      const declined = new Set<number>();
      run(happenings, ({ before, effects }) => {
        const inQueue = waitOf(before) !== null;
        for (const effect of effects) {
          if (effect.kind === 'notify-agent' && effect.what.message === 'incoming' && inQueue)
            expect(declined.has(effect.agentId)).toBe(false);
          if (effect.kind === 'record' && effect.type === 'DECLINED' && inQueue && effect.agentId)
            declined.add(effect.agentId);
        }
      });
    }),
    { numRuns: 500 },
  );
});
