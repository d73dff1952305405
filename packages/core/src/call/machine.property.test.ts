/** What holds for one call whatever happens to it, in whatever order, however often and however late. */
import type { LegEnd } from '@clarion/protocol/media';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { beginInbound, beginIntent } from './arrival.ts';
import type { CallEvent } from './event.ts';
import type { Effect } from './effects.ts';
import { nextDeadline, step } from './machine.ts';
import { agentsHeldBy } from './state.ts';
import type { CallState } from './state.ts';

const T0 = 1_700_000_000_000;
const AGENTS = [1, 2, 3];
const QUEUES = [10, 11];
const NODE = 'media-1';
const QUIET_STOP = {
  holdAudio: null,
  wrapUpSeconds: 0,
  announce: { position: false, wait: false, everySeconds: 60 },
  callbackKey: null,
  skillsWaitSeconds: null,
};

const begin = {
  intent: () =>
    beginIntent(
      {
        callId: 7,
        record: false,
        mediaPath: 'ROOM',
        agentId: 1,
        dial: { trunkId: 1, called: '44', caller: '33', callerName: null },
      },
      T0,
    ),
  queue: () =>
    beginInbound(
      {
        callId: 7,
        record: false,
        mediaPath: 'ROOM',
        mediaNodeId: NODE,
        carrierLegId: 'customer',
        route: {
          kind: 'queue',
          stops: QUEUES.map((queueId) => ({
            queueId,
            ref: `q${queueId}`,
            ringTimeoutSeconds: 20,
            maxWaitSeconds: 60,
            ...QUIET_STOP,
          })),
        },
      },
      T0,
    ),
  owner: () =>
    beginInbound(
      {
        callId: 7,
        record: false,
        mediaPath: 'ROOM',
        mediaNodeId: NODE,
        carrierLegId: 'customer',
        route: { kind: 'owner', agentId: 1, ringTimeoutSeconds: 30, owner: 'reserved' },
      },
      T0,
    ),
} as const;

const agentId = fc.constantFrom(...AGENTS);
/** The customer's legs of both directions, and few enough agent legs that facts often hit. */
const legId = fc.constantFrom('customer', 'call-7-customer', 'leg-a', 'leg-b', 'leg-c');
const agentLeg = fc.constantFrom('leg-a', 'leg-b', 'leg-c');
const deviceId = fc.constantFrom('desk', 'phone');
const legEnd: fc.Arbitrary<LegEnd> = fc.record({
  cause: fc.constantFrom(
    'remote-bye',
    'remote-cancel',
    'rejected',
    'no-answer-local',
    'unreachable',
    'local',
    'rtp-timeout',
    'media-error',
  ),
  sipStatus: fc.constantFrom(null, 486, 480, 404, 403, 503),
  sipReason: fc.constant(null),
  q850: fc.constantFrom(null, 17, 16),
  provisional: fc.boolean(),
  message: fc.constant('ended'),
});

const anyEvent: fc.Arbitrary<CallEvent> = fc.oneof(
  fc.record({
    type: fc.constant('start'),
    agentId,
    deviceId,
    legId: agentLeg,
    mediaNodeId: fc.constant(NODE),
  }),
  fc.record({
    type: fc.constant('offer'),
    queueId: fc.constantFrom(...QUEUES),
    agentIds: fc.uniqueArray(agentId, { minLength: 1 }),
    ringTimeoutSeconds: fc.constantFrom(5, 20),
  }),
  fc.record({ type: fc.constant('accept'), agentId, deviceId, legId: agentLeg }),
  fc.record({ type: fc.constant('resume'), agentId, deviceId, legId: agentLeg }),
  fc.record({
    type: fc.constantFrom('decline', 'hangup', 'agent-gone', 'agent-back', 'agent-removed'),
    agentId,
  }),
  fc.record({ type: fc.constant('mute'), agentId, muted: fc.boolean() }),
  fc.record({ type: fc.constant('hold'), agentId, held: fc.boolean() }),
  fc.record({ type: fc.constant('dtmf'), agentId, digits: fc.constant('1') }),
  fc.record({ type: fc.constantFrom('terminate', 'tick', 'credit-exhausted') }),
  fc.record({ type: fc.constant('leg-ringing'), legId, earlyMedia: fc.boolean() }),
  fc.record({ type: fc.constant('leg-connected'), legId, codec: fc.constant('PCMA') }),
  fc.record({ type: fc.constantFrom('leg-interrupted', 'leg-restored'), legId }),
  fc.record({ type: fc.constant('leg-ended'), legId, end: legEnd, stats: fc.constant(null) }),
  fc.record({ type: fc.constant('leg-dtmf'), legId, digit: fc.constant('5'), at: fc.nat({ max: 5 }) }),
  fc.record({
    type: fc.constant('command-failed'),
    command: fc.constantFrom('carrier:dial', 'carrier:answer', 'agent:connect', 'call:route'),
    legId,
    message: fc.constant('no'),
  }),
  fc.record({ type: fc.constant('media-lost'), mediaNodeId: fc.constantFrom(NODE, 'other') }),
);

/** What usually comes next: without it chance alone would hardly ever reach a conversation. */
function usual(state: CallState, seed: number): CallEvent {
  const codec = 'PCMA';
  const fresh = `leg-${seed}`;
  const options: CallEvent[] = [];
  switch (state.phase) {
    case 'intent':
      options.push({ type: 'start', agentId: 1, deviceId: 'desk', legId: fresh, mediaNodeId: NODE });
      break;
    case 'dialing':
      options.push({ type: 'leg-connected', legId: state.agent.legId, codec });
      if (state.progress !== 'agent') {
        options.push({ type: 'leg-ringing', legId: state.carrierLegId, earlyMedia: seed % 2 === 0 });
        options.push({ type: 'leg-connected', legId: state.carrierLegId, codec });
      }
      options.push({ type: 'resume', agentId: 1, deviceId: 'phone', legId: fresh });
      options.push({ type: 'leg-interrupted', legId: state.agent.legId });
      break;
    case 'waiting': {
      const queueId = state.wait.stops[0]?.queueId ?? 0;
      options.push({ type: 'offer', queueId, agentIds: [(seed % 3) + 1], ringTimeoutSeconds: 20 });
      options.push({ type: 'offer', queueId, agentIds: AGENTS, ringTimeoutSeconds: 20 });
      break;
    }
    case 'offering': {
      const ringing = state.offers[seed % state.offers.length]?.agentId ?? 0;
      options.push({ type: 'accept', agentId: ringing, deviceId: 'desk', legId: fresh });
      options.push({ type: 'accept', agentId: ringing, deviceId: 'phone', legId: fresh });
      options.push({ type: 'decline', agentId: ringing });
      break;
    }
    case 'connecting':
      options.push({ type: 'leg-connected', legId: state.agent.legId, codec });
      options.push({ type: 'leg-connected', legId: state.carrierLegId, codec });
      options.push({ type: 'leg-ended', legId: state.agent.legId, end: lostLeg, stats: null });
      break;
    case 'talking':
    case 'ended': {
      const side = state.phase === 'talking' ? state.agent : { agentId: 1, legId: 'leg-a' };
      options.push({ type: 'hold', agentId: side.agentId, held: seed % 2 === 0 });
      options.push({ type: 'leg-interrupted', legId: side.legId });
      options.push({ type: 'resume', agentId: side.agentId, deviceId: 'phone', legId: fresh });
      options.push({ type: 'leg-connected', legId: side.legId, codec });
      options.push({ type: 'leg-ended', legId: side.legId, end: lostLeg, stats: null });
      options.push({ type: 'agent-gone', agentId: side.agentId });
      options.push({ type: 'agent-back', agentId: side.agentId });
    }
  }
  return options[seed % options.length] ?? { type: 'tick' };
}
const lostLeg: LegEnd = {
  cause: 'media-error',
  sipStatus: null,
  sipReason: null,
  q850: null,
  provisional: false,
  message: 'transport closed',
};

/** An event at random, or a seed for `usual`; and how long it takes to come. */
const happening = fc.oneof(
  { weight: 1, arbitrary: fc.tuple(anyEvent, fc.integer({ min: 0, max: 40_000 })) },
  { weight: 4, arbitrary: fc.tuple(fc.nat({ max: 10_000 }), fc.integer({ min: 0, max: 4_000 })) },
);
const history = fc.record({
  from: fc.constantFrom('intent', 'queue', 'owner'),
  events: fc.array(happening, { maxLength: 40 }),
});

interface Run {
  states: CallState[];
  effects: Effect[];
  now: number;
}

/** Agents as the database holds them for this one call: taken by reserve or by dispatch, let go by effects. */
class Held {
  readonly agents = new Set<number>();
  apply(effects: readonly Effect[]): void {
    for (const effect of effects) {
      if (effect.kind !== 'agent') continue;
      if (effect.change === 'reserve') this.agents.add(effect.agentId);
      if (effect.change === 'free' || effect.change === 'missed') this.agents.delete(effect.agentId);
    }
  }
}

function run(
  from: keyof typeof begin,
  events: readonly (readonly [CallEvent | number, number])[],
  check: (before: CallState, after: CallState, effects: Effect[], held: Held) => void = () => undefined,
): Run {
  const first = begin[from]();
  const held = new Held();
  for (const id of agentsHeldBy(first.state)) held.agents.add(id);
  held.apply(first.effects);
  const states = [first.state];
  const effects = [...first.effects];
  let state = first.state;
  let now = T0;
  for (const [what, wait] of events) {
    now += wait;
    const event = typeof what === 'number' ? usual(state, what) : what;
    // Dispatch reserves before it offers, and only agents who are free.
    const offered = event.type === 'offer' ? event.agentIds.filter((id) => !held.agents.has(id)) : [];
    if (event.type === 'offer' && offered.length === 0) continue;
    for (const id of offered) held.agents.add(id);
    const given = event.type === 'offer' ? { ...event, agentIds: offered } : event;
    const inQueue = state.phase === 'waiting' || (state.phase === 'offering' && state.wait !== null);
    // Dispatch sees only calls that wait in a queue; for others it never steps an offer.
    if (given.type === 'offer' && !inQueue) {
      for (const id of offered) held.agents.delete(id);
      continue;
    }
    const next = step(JSON.parse(JSON.stringify(state)) as CallState, given, now);
    held.apply(next.effects);
    check(state, next.state, next.effects, held);
    state = next.state;
    states.push(state);
    effects.push(...next.effects);
  }
  return { states, effects, now };
}

const published = (effects: readonly Effect[], event: string) =>
  effects.filter((effect) => effect.kind === 'publish' && effect.event === event).length;

describe('any order of events', () => {
  test('says call.created once, call.answered at most once, call.ended exactly when it ends, and nothing after', () => {
    fc.assert(
      fc.property(history, ({ from, events }) => {
        const { states, effects } = run(from, events, (before, after, said) => {
          if (before.phase === 'ended') {
            expect(said).toEqual([]);
            expect(after).toEqual(before);
          }
        });
        const ended = states.at(-1)?.phase === 'ended';
        expect(published(effects, 'call.created')).toBe(1);
        expect(published(effects, 'call.answered')).toBeLessThanOrEqual(1);
        expect(published(effects, 'call.ended')).toBe(ended ? 1 : 0);
      }),
      { numRuns: 2_000 },
    );
  });

  test('holds exactly the agents its state names, and none once it has ended', () => {
    fc.assert(
      fc.property(history, ({ from, events }) => {
        run(from, events, (_, after, __, held) => {
          expect([...held.agents].toSorted()).toEqual(agentsHeldBy(after).toSorted());
        });
      }),
      { numRuns: 2_000 },
    );
  });

  test('never offers the call again to an agent who declined it', () => {
    fc.assert(
      fc.property(history, ({ from, events }) => {
        run(from, events, (before, after, effects) => {
          if ('wait' in before && before.wait) {
            for (const effect of effects) {
              if (effect.kind === 'tell' && effect.what.message === 'incoming') {
                expect(before.wait.declined).not.toContain(effect.agentId);
              }
            }
          }
          if (after.phase === 'offering')
            expect(new Set(after.offers.map((o) => o.agentId)).size).toBe(after.offers.length);
        });
      }),
      { numRuns: 2_000 },
    );
  });

  test('tells media what to play with ever newer revisions, and releases its legs when it ends', () => {
    fc.assert(
      fc.property(history, ({ from, events }) => {
        let revision = 0;
        run(from, events, (before, after, effects) => {
          for (const effect of effects) {
            if (effect.kind !== 'media' || effect.order.command !== 'call:route') continue;
            expect(effect.order.revision).toBeGreaterThan(revision);
            revision = effect.order.revision;
          }
          if (before.phase !== 'ended' && before.phase !== 'intent' && after.phase === 'ended') {
            expect(effects.some((e) => e.kind === 'media' && e.order.command === 'call:release')).toBe(true);
          }
        });
      }),
      { numRuns: 1_000 },
    );
  });

  test('reaches every phase in these histories', () => {
    const seen = new Map<string, number>();
    fc.assert(
      fc.property(history, ({ from, events }) => {
        for (const phase of new Set(run(from, events).states.map((state) => state.phase))) {
          seen.set(phase, (seen.get(phase) ?? 0) + 1);
        }
      }),
      { numRuns: 1_000 },
    );
    for (const phase of ['intent', 'dialing', 'waiting', 'offering', 'connecting', 'talking', 'ended']) {
      expect(seen.get(phase), phase).toBeGreaterThan(50);
    }
  });

  test('ends by itself when nothing more happens, unless somebody talks', () => {
    fc.assert(
      fc.property(history, ({ from, events }) => {
        const { states, now } = run(from, events);
        let state = states.at(-1);
        let clock = now;
        for (let rounds = 0; state && rounds < 20; rounds += 1) {
          const deadline = nextDeadline(state);
          if (deadline === null) break;
          clock = Math.max(clock, deadline);
          state = step(state, { type: 'tick' }, clock).state;
        }
        expect(['ended', 'talking']).toContain(state?.phase);
        if (state?.phase === 'talking') expect(nextDeadline(state)).toBeNull();
      }),
      { numRuns: 2_000 },
    );
  });

  test('takes every fact of media once: a repeat changes nothing', () => {
    fc.assert(
      fc.property(history, fc.oneof(anyEvent, fc.nat({ max: 10_000 })), ({ from, events }, what) => {
        const { states, now } = run(from, events);
        const before = states.at(-1);
        if (!before) return;
        const event = typeof what === 'number' ? usual(before, what) : what;
        if (!event.type.startsWith('leg-')) return;
        const once = step(before, event, now);
        const again = step(once.state, event, now + 1);
        expect(again.effects).toEqual([]);
        expect(again.state).toEqual(once.state);
      }),
      { numRuns: 2_000 },
    );
  });

  test('a tick before the next deadline changes nothing', () => {
    fc.assert(
      fc.property(history, ({ from, events }) => {
        const { states, now } = run(from, events);
        const state = states.at(-1);
        if (!state) return;
        const ticked = step(state, { type: 'tick' }, now);
        const deadline = nextDeadline(state);
        if (deadline === null || now < deadline) expect(ticked.state).toBe(state);
        else expect(ticked.state).not.toBe(state);
      }),
      { numRuns: 1_000 },
    );
  });
});
