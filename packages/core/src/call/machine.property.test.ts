/** What holds for one call whatever happens to it, in whatever order, however often and however late. */
import type { LegEnd } from '@clarion/protocol/media';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aFlow, arrives, usualOfArrival, walksIn } from './__fixtures__/flow-histories.ts';
import { beginCallback, beginInbound, beginIntent } from './arrival.ts';
import type { CallEvent } from './event.ts';
import type { Effect } from './effects.ts';
import { nextDeadline, step } from './machine.ts';
import { enterWaiting } from './machine/in-queue.ts';
import { enterQueue } from './machine/shared.ts';
import { agentsHeldBy, mediaNodeOf, waitOf } from './state.ts';
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
  /** A caller whom a flow has answered and sent to a queue that tells them where they stand and calls them back. */
  told: () =>
    enterWaiting(
      {
        callId: 7,
        record: false,
        mediaPath: 'ROOM',
        mediaNodeId: NODE,
        carrierLegId: 'customer',
        revision: 0,
        answered: true,
        flow: null,
        plays: 0,
        keyAt: null,
      },
      placeInQueue(),
      T0,
      [{ kind: 'publish', event: 'call.created' }],
    ),
  flow: () => walksIn(FLOW, T0),
  /** The lookup hook is asked first. */
  askedFlow: () => walksIn(FLOW, T0, true),
  askedQueue: () => arrives({ kind: 'queue', stops: placeInQueue().stops }, T0, true),
  askedOwner: () =>
    arrives({ kind: 'owner', agentId: 1, ringTimeoutSeconds: 30, owner: 'reserved' }, T0, true),
  callback: () =>
    beginCallback(
      {
        callId: 7,
        record: false,
        mediaPath: 'ROOM',
        dial: { trunkId: 1, called: '44', caller: '33', callerName: null },
        wait: placeInQueue(),
        callbackOf: 6,
      },
      T0,
    ),
} as const;

function placeInQueue() {
  const stops = QUEUES.map((queueId) => ({
    ...QUIET_STOP,
    queueId,
    ref: `q${queueId}`,
    ringTimeoutSeconds: 20,
    maxWaitSeconds: 60,
    announce: { position: true, wait: true, everySeconds: 15 },
    callbackKey: '1',
    skillsWaitSeconds: 30,
  }));
  return enterQueue({ stops, since: T0, declined: [], missed: {}, skills: ['german'] }, T0);
}

const agentId = fc.constantFrom(...AGENTS);
/** The customer's legs of both directions, and few enough agent legs that facts often hit. */
const legId = fc.constantFrom('customer', 'call-7-customer', 'leg-a', 'leg-b', 'leg-c', 'ear-a', 'ear-b');
const agentLeg = fc.constantFrom('leg-a', 'leg-b', 'leg-c');
const deviceId = fc.constantFrom('desk', 'phone');
const playId = fc.constantFrom('announcement-1', 'announcement-2', 'announcement-3', 'goodbye-2');
/** Of people who listen; some are agents whom the call may come to. */
const ear = fc.constantFrom('ear-a', 'ear-b');
const mode = fc.constantFrom('LISTEN', 'WHISPER', 'BARGE');
const monitor = fc.record({
  kind: fc.constant('SUPERVISOR'),
  agentId: fc.constantFrom(1, 2, 9),
  name: fc.constant('Sue'),
  deviceId,
  legId: ear,
  mode,
});
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
  fc.record({
    type: fc.constant('offer'),
    queueId: fc.constant(null),
    agentIds: fc.tuple(agentId),
    ringTimeoutSeconds: fc.constant(20),
  }),
  fc.record({ type: fc.constant('agent-unavailable'), agentId }),
  fc.record({ type: fc.constant('queue-gone'), queueId: fc.constantFrom(...QUEUES, 99) }),
  fc.record({
    type: fc.constant('looked-up'),
    result: fc.constantFrom('ANSWERED', 'TIMEOUT', 'FAILED'),
    name: fc.constantFrom(null, 'Jo'),
    externalRef: fc.constantFrom(null, 'crm-7'),
    reject: fc.boolean(),
  }),
  fc.record({ type: fc.constant('accept'), agentId, deviceId, legId: agentLeg }),
  fc.record({
    type: fc.constant('announced'),
    playId,
    position: fc.constantFrom(1, 7, 120),
    waitSeconds: fc.constantFrom(null, 30, 400),
  }),
  fc.record({ type: fc.constant('leg-played'), legId, playId, played: fc.boolean() }),
  fc.record({ type: fc.constant('resume'), agentId, deviceId, legId: agentLeg }),
  fc.record({
    type: fc.constantFrom('decline', 'hangup', 'agent-gone', 'agent-back', 'agent-removed'),
    agentId,
  }),
  fc.record({ type: fc.constant('mute'), agentId, muted: fc.boolean() }),
  fc.record({ type: fc.constant('hold'), agentId, held: fc.boolean() }),
  fc.record({ type: fc.constant('record-pause'), agentId, paused: fc.boolean() }),
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
  fc.record({
    type: fc.constant('transfer'),
    agentId,
    to: fc.oneof(
      fc.record({ kind: fc.constant('agent'), agentId, ringTimeoutSeconds: fc.constant(30) }),
      fc.record({ kind: fc.constant('queue'), stops: fc.constant(placeInQueue().stops) }),
    ),
  }),
  fc.record({ type: fc.constant('transfer-cancel'), agentId }),
  fc.record({ type: fc.constant('monitor-start'), monitor }),
  fc.record({ type: fc.constant('monitor-mode'), legId: ear, mode }),
  fc.record({ type: fc.constant('monitor-modes'), allowed: fc.uniqueArray(mode) }),
  fc.record({ type: fc.constant('monitor-stop'), legId: ear }),
  fc.record({ type: fc.constant('media-lost'), mediaNodeId: fc.constantFrom(NODE, 'other') }),
);

/** Key 2 and the agents who ring in it are one of those above. */
const FLOW = aFlow(placeInQueue().stops, 2);

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
    case 'arriving':
    case 'ivr':
      options.push(...usualOfArrival(state, seed));
      break;
    case 'waiting': {
      const queueId = state.wait.stops[0]?.queueId ?? 0;
      options.push({ type: 'offer', queueId, agentIds: [(seed % 3) + 1], ringTimeoutSeconds: 20 });
      options.push({ type: 'offer', queueId, agentIds: AGENTS, ringTimeoutSeconds: 20 });
      if (!state.answered) break;
      const { carrierLegId, plays, wait, leaving } = state;
      const announcement = `announcement-${plays}`;
      options.push({ type: 'announced', playId: announcement, position: 2, waitSeconds: 90 });
      const heard = leaving?.playId ?? wait.announcing ?? announcement;
      options.push({ type: 'leg-played', legId: carrierLegId, playId: heard, played: true });
      if (seed % 5 === 0) options.push({ type: 'leg-dtmf', legId: carrierLegId, digit: '1', at: seed });
      break;
    }
    case 'callback': {
      const queueId = state.wait.stops[0]?.queueId ?? 0;
      const ringing = state.offers[seed % 3]?.agentId;
      const mediaNodeId = NODE;
      options.push({ type: 'offer', queueId, agentIds: [(seed % 3) + 1], ringTimeoutSeconds: 20 });
      if (ringing === undefined) break;
      options.push({ type: 'accept', agentId: ringing, deviceId: 'desk', legId: fresh, mediaNodeId });
      options.push({ type: 'decline', agentId: ringing });
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
      options.push(...usualOfTransfer(state, side.agentId, seed));
    }
  }
  return options[seed % options.length] ?? { type: 'tick' };
}
/** The conversation is handed on, back and forth. */
function usualOfTransfer(state: CallState, agentId: number, seed: number): CallEvent[] {
  const transfer = state.phase === 'talking' ? state.transfer : null;
  const other = AGENTS.find((one) => one !== agentId && one !== (seed % 3) + 1) ?? 1;
  const { stops } = placeInQueue();
  if (!transfer) {
    return [
      { type: 'transfer', agentId, to: { kind: 'agent', agentId: other, ringTimeoutSeconds: 30 } },
      { type: 'transfer', agentId, to: { kind: 'queue', stops } },
    ];
  }
  if (transfer.accepted) {
    const { side } = transfer.accepted;
    return [
      { type: 'leg-connected', legId: side.legId, codec: 'PCMA' },
      { type: 'leg-connected', legId: side.legId, codec: 'PCMA' },
      { type: 'leg-ended', legId: side.legId, end: lostLeg, stats: null },
    ];
  }
  const rings = transfer.offers[seed % 2]?.agentId ?? transfer.offers[0]?.agentId;
  const queueId = transfer.wait?.stops[0]?.queueId;
  return [
    ...(queueId === undefined
      ? []
      : [{ type: 'offer', queueId, agentIds: AGENTS, ringTimeoutSeconds: 20 } as const]),
    ...(rings === undefined
      ? []
      : ([
          { type: 'accept', agentId: rings, deviceId: 'desk', legId: `leg-${seed}` },
          { type: 'accept', agentId: rings, deviceId: 'phone', legId: `leg-${seed}` },
          { type: 'decline', agentId: rings },
        ] as const)),
    ...(seed % 4 === 0 ? [{ type: 'transfer-cancel', agentId } as const] : []),
  ];
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
  from: fc.constantFrom(
    ...(['intent', 'intent', 'queue', 'queue', 'owner', 'told', 'callback'] as const),
    ...(['flow', 'flow', 'askedFlow', 'askedQueue', 'askedOwner'] as const),
  ),
  events: fc.array(happening, { maxLength: 40 }),
});

/** A personal line's owner has answered. */
const conversation: [CallEvent, number][] = [
  [{ type: 'accept', agentId: 1, deviceId: 'desk', legId: 'leg-a' }, 100],
  [{ type: 'leg-connected', legId: 'leg-a', codec: 'PCMA' }, 100],
  [{ type: 'leg-connected', legId: 'customer', codec: 'PCMA' }, 100],
];

/** Two who listen, and what else happens meanwhile. */
const aMoment = fc.integer({ min: 0, max: 2_000 });
const listening = fc.array(
  fc.oneof(
    {
      weight: 2,
      arbitrary: fc.tuple(fc.record({ type: fc.constant('monitor-start' as const), monitor }), aMoment),
    },
    {
      weight: 3,
      arbitrary: fc.tuple(
        fc.record({ type: fc.constant('leg-connected' as const), legId: ear, codec: fc.constant('opus') }),
        aMoment,
      ),
    },
    {
      weight: 2,
      arbitrary: fc.tuple(
        fc.record({ type: fc.constant('monitor-mode' as const), legId: ear, mode }),
        aMoment,
      ),
    },
    { weight: 2, arbitrary: happening },
  ),
  { minLength: 5, maxLength: 40 },
);

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
    // Dispatch sees only calls that wait in that queue, a search only those whose flow asks; for others no offer is ever stepped.
    if (given.type === 'offer' && !looksFor(state, given.queueId)) {
      for (const id of offered) held.agents.delete(id);
      continue;
    }
    const next = step(JSON.parse(JSON.stringify(state)) as CallState, given, now, FLOW);
    held.apply(next.effects);
    check(state, next.state, next.effects, held);
    state = next.state;
    states.push(state);
    effects.push(...next.effects);
  }
  return { states, effects, now };
}

const looksFor = (state: CallState, queueId: number | null): boolean =>
  queueId === null
    ? state.phase === 'ivr' && state.seeking !== null
    : waitOf(state)?.stops[0]?.queueId === queueId;

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
          if (mediaNodeOf(before) !== null && after.phase === 'ended') {
            expect(effects.some((e) => e.kind === 'media' && e.order.command === 'call:release')).toBe(true);
          }
        });
      }),
      { numRuns: 1_000 },
    );
  });

  test('lets people listen without changing whose call it is, nor outlive it, nor be heard by a customer unless they barge', () => {
    let listened = 0;
    fc.assert(
      fc.property(listening, (events) => {
        const there = new Set<string>();
        run('owner', [...conversation, ...events], (before, after, effects) => {
          const monitorsOf = (state: CallState) => (state.phase === 'talking' ? state.monitors : []);
          for (const effect of effects) {
            if (effect.kind === 'join' && effect.who === 'MONITOR') {
              expect(there.has(effect.monitor.legId)).toBe(false);
              there.add(effect.monitor.legId);
              listened += 1;
            }
            if (effect.kind === 'leave' && effect.who === 'ALL') there.clear();
            if (effect.kind === 'leave' && effect.who !== 'ALL' && 'legId' in effect.who) {
              expect(there.delete(effect.who.legId)).toBe(true);
            }
            if (effect.kind !== 'media' || effect.order.command !== 'call:route') continue;
            const { route } = effect.order;
            const silent = [...monitorsOf(before), ...monitorsOf(after)].filter(({ legId: ear }) =>
              monitorsOf(after).every((now) => now.legId !== ear || now.mode !== 'BARGE'),
            );
            const customer = 'carrierLegId' in after ? (route[after.carrierLegId] ?? []) : [];
            for (const { legId: ear } of silent)
              expect(customer).not.toContainEqual({ kind: 'leg', legId: ear });
          }
          expect([...there].toSorted()).toEqual(
            monitorsOf(after)
              .filter(({ connected }) => connected)
              .map(({ legId: ear }) => ear)
              .toSorted(),
          );
          if (after.phase === 'talking') {
            for (const { agentId: who } of after.monitors) expect(who).not.toBe(after.agent.agentId);
            const asked = effects.flatMap((e) =>
              e.kind === 'media' && e.order.command === 'leg:hangup' ? [e.order.legId] : [],
            );
            for (const { legId: ear } of monitorsOf(before)) {
              if (after.monitors.every((now) => now.legId !== ear)) expect(asked).toContain(ear);
            }
          }
        });
      }),
      { numRuns: 2_000 },
    );
    expect(listened).toBeGreaterThan(100);
  });

  test('an event of those who listen never moves the call', () => {
    const about = fc.oneof(
      fc.record({ type: fc.constant('monitor-start' as const), monitor }),
      fc.record({ type: fc.constant('monitor-mode' as const), legId: ear, mode }),
      fc.record({ type: fc.constant('monitor-modes' as const), allowed: fc.uniqueArray(mode) }),
      fc.record({ type: fc.constant('monitor-stop' as const), legId: ear }),
      fc.record({
        type: fc.constant('leg-ended' as const),
        legId: ear,
        end: legEnd,
        stats: fc.constant(null),
      }),
    );
    fc.assert(
      fc.property(listening, about, (events, event) => {
        const { states, now } = run('owner', [...conversation, ...events]);
        const before = states.at(-1);
        if (!before) return;
        const { state: after, effects } = step(before, event, now, FLOW);
        expect(after.phase).toBe(before.phase);
        expect(agentsHeldBy(after)).toEqual(agentsHeldBy(before));
        expect(effects.filter(({ kind }) => ['agent', 'patch', 'publish'].includes(kind))).toEqual([]);
        if (after.phase === 'talking' && before.phase === 'talking') {
          expect({ ...after, monitors: [], revision: 0 }).toEqual({ ...before, monitors: [], revision: 0 });
        } else expect(after).toEqual(before);
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
    for (const phase of [
      'intent',
      'callback',
      'dialing',
      'arriving',
      'ivr',
      'waiting',
      'offering',
      'connecting',
      'talking',
      'ended',
    ]) {
      expect(seen.get(phase), phase).toBeGreaterThan(50);
    }
  });

  test('ends by itself when nothing more happens, unless somebody talks', () => {
    fc.assert(
      fc.property(history, ({ from, events }) => {
        const { states, now } = run(from, events);
        let state = states.at(-1);
        let clock = now;
        for (let rounds = 0; state && rounds < 50; rounds += 1) {
          const deadline = nextDeadline(state);
          if (deadline === null) break;
          clock = Math.max(clock, deadline);
          state = step(state, { type: 'tick' }, clock, FLOW).state;
        }
        expect(['ended', 'talking']).toContain(state?.phase);
        if (state?.phase === 'talking') expect(nextDeadline(state)).toBeNull();
      }),
      { numRuns: 2_000 },
    );
  });

  test('opens and closes its walks through a flow in turns, and leaves none open', () => {
    fc.assert(
      fc.property(history, ({ from, events }) => {
        const { states, effects } = run(from, events);
        const last = states.at(-1);
        let open = false;
        for (const effect of effects) {
          if (effect.kind !== 'ivr') continue;
          expect(open).toBe(effect.change !== 'begin');
          open = effect.change !== 'end';
        }
        expect(open).toBe(last?.phase === 'ivr');
      }),
      { numRuns: 1_000 },
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
        const once = step(before, event, now, FLOW);
        const again = step(once.state, event, now + 1, FLOW);
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
        const ticked = step(state, { type: 'tick' }, now, FLOW);
        const deadline = nextDeadline(state);
        if (deadline === null || now < deadline) expect(ticked.state).toBe(state);
        else expect(ticked.state).not.toBe(state);
      }),
      { numRuns: 1_000 },
    );
  });
});
