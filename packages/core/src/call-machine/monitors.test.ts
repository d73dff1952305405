/** Who hears whom, and what is stored about monitors. */
import type { Route } from '@clarion/protocol/media';
import { describe, expect, test } from 'vitest';
import { beginInboundCall } from './arrival.ts';
import type { CallEvent } from './event.ts';
import type { Effect } from './effects.ts';
import { nextDeadline, step } from './machine.ts';
import type { CallState, Monitor, TalkingState } from './state.ts';
import { AGENT_CONNECT_MS, MAX_MONITORS_PER_CALL, MONITOR_GRACE_MS } from './timing.ts';
import { modesFor } from './monitors.ts';
import { conversationRoute } from './route.ts';

const T0 = 1_700_000_000_000;

const talking = (change: Partial<TalkingState> = {}): TalkingState => ({
  callId: 7,
  revision: 3,
  record: false,
  mediaPath: 'ROOM',
  phase: 'talking',
  mediaNodeId: 'media-1',
  carrierLegId: 'customer',
  agent: {
    agentId: 1,
    deviceId: 'desk',
    legId: 'agent',
    connected: true,
    ended: false,
    previous: null,
    socketsLostAt: null,
    mediaLostAt: null,
  },
  assignmentType: 'QUEUE',
  queue: null,
  held: false,
  muted: false,
  answeredAt: T0,
  transfer: null,
  transferFailed: null,
  transferredBy: null,
  declined: [],
  monitors: [],
  recordingPaused: false,
  ...change,
});

const supervisor = (change: Partial<Monitor> = {}) => ({
  kind: 'SUPERVISOR' as const,
  agentId: 9,
  name: 'Sue',
  deviceId: 'office',
  legId: 'sue',
  mode: 'LISTEN' as const,
  ...change,
});
const there = (change: Partial<Monitor> = {}): Monitor => ({
  ...supervisor(change),
  connected: true,
  connectBy: T0,
  lostAt: null,
  ...change,
});

function steps(
  from: CallState,
  events: CallEvent[],
  now = T0 + 1000,
): { state: TalkingState; effects: Effect[] } {
  let state: CallState = from;
  const effects: Effect[] = [];
  for (const event of events) {
    const next = step(state, event, now);
    state = next.state;
    effects.push(...next.effects);
  }
  if (state.phase !== 'talking') throw new Error('the call has ended');
  return { state, effects };
}
const start = (change: Partial<Monitor> = {}): CallEvent => ({
  type: 'monitor-start',
  monitor: supervisor(change),
});
const connect = (legId = 'sue'): CallEvent => ({ type: 'leg-connected', legId, codec: 'opus' });
const stop = (legId = 'sue'): CallEvent => ({ type: 'monitor-stop', legId });
const recorded = (effects: Effect[]) =>
  effects.flatMap((effect) => (effect.kind === 'record' ? [effect.type] : []));
const told = (effects: Effect[]) =>
  effects.flatMap((effect) => (effect.kind === 'notify-agent' ? [effect] : []));
const lastRoute = (effects: Effect[]): Route | null => {
  const routes = effects.flatMap((effect) =>
    effect.kind === 'media' && effect.order.command === 'call:route' ? [effect.order.route] : [],
  );
  return routes.at(-1) ?? null;
};
/** Who each leg hears: names of legs and tones. */
const heard = (route: Route) =>
  Object.fromEntries(
    Object.entries(route).map(([legId, sources]) => [
      legId,
      sources
        .map((source) =>
          source.kind === 'leg' ? source.legId : source.kind === 'tone' ? source.tone : 'audio',
        )
        .toSorted(),
    ]),
  );

describe('who hears whom', () => {
  const routeWith = (change: Partial<TalkingState>) => heard(conversationRoute(talking(change)));

  test.each([
    ['LISTEN', { customer: ['agent'], agent: ['customer'], sue: ['agent', 'customer'] }],
    ['WHISPER', { customer: ['agent'], agent: ['customer', 'sue'], sue: ['agent', 'customer'] }],
    ['BARGE', { customer: ['agent', 'sue'], agent: ['customer', 'sue'], sue: ['agent', 'customer'] }],
  ] as const)('%s', (mode, route) => {
    expect(routeWith({ monitors: [there({ mode })] })).toEqual(route);
  });

  test('several monitors: one who barges is heard by all, one who whispers by the agent alone', () => {
    const monitors = [
      there({ mode: 'BARGE' }),
      there({ agentId: 8, legId: 'tom', mode: 'WHISPER' }),
      there({ agentId: 6, legId: 'uma', mode: 'LISTEN' }),
    ];
    expect(routeWith({ monitors })).toEqual({
      customer: ['agent', 'sue'],
      agent: ['customer', 'sue', 'tom'],
      sue: ['agent', 'customer'],
      tom: ['agent', 'customer', 'sue'],
      uma: ['agent', 'customer', 'sue'],
    });
  });

  test('no one hears a monitor whose audio is not connected yet', () => {
    expect(routeWith({ monitors: [there({ mode: 'BARGE', connected: false })] })).toEqual({
      customer: ['agent'],
      agent: ['customer'],
    });
  });

  test('on hold the customer hears only hold audio, monitors hear the customer, and the agent hears monitors who whisper or barge', () => {
    expect(routeWith({ held: true, monitors: [there({ mode: 'BARGE' })] })).toEqual({
      customer: ['hold'],
      agent: ['sue'],
      sue: ['customer'],
    });
  });

  test('a leg that replaces another is not heard before it has connected', () => {
    const { agent } = talking();
    const resuming = {
      ...agent,
      legId: 'new',
      connected: false,
      previous: { legId: 'agent', deviceId: 'desk' },
    };
    expect(routeWith({ agent: resuming })).toEqual({ customer: ['agent'], agent: ['customer'] });
  });
});

describe('listening', () => {
  test('starts when the audio is connected, and ends immediately when it is stopped', () => {
    const began = steps(talking(), [start()]);
    expect(began.effects).toEqual([]);
    expect(nextDeadline(began.state)).toBe(T0 + 1000 + AGENT_CONNECT_MS);

    const stood = steps(began.state, [connect()]);
    expect(recorded(stood.effects)).toEqual(['MONITOR_STARTED']);
    expect(stood.effects).toContainEqual({
      kind: 'join',
      who: 'MONITOR',
      monitor: { kind: 'SUPERVISOR', agentId: 9, name: 'Sue', deviceId: 'office', legId: 'sue' },
    });
    expect(heard(lastRoute(stood.effects) ?? {})['sue']).toEqual(['agent', 'customer']);
    expect(nextDeadline(stood.state)).toBeNull();

    const over = steps(stood.state, [stop()]);
    expect(over.state.monitors).toEqual([]);
    expect(recorded(over.effects)).toEqual(['MONITOR_STOPPED']);
    expect(over.effects).toContainEqual({ kind: 'leave', who: { legId: 'sue' }, reason: 'MONITOR_STOPPED' });
    expect(lastRoute(over.effects)).not.toHaveProperty('sue');
    expect(told(over.effects)).toEqual([]);
  });

  test('changing the mode changes only the route and the log', () => {
    const { state } = steps(talking(), [start(), connect()]);
    const { effects } = steps(state, [{ type: 'monitor-mode', legId: 'sue', mode: 'BARGE' }]);
    expect(effects.map((effect) => (effect.kind === 'media' ? effect.order.command : effect.kind))).toEqual([
      'record',
      'call:route',
    ]);
    expect(recorded(effects)).toEqual(['MONITOR_MODE']);
    expect(heard(lastRoute(effects) ?? {})['customer']).toEqual(['agent', 'sue']);
  });

  test('a supervisor who barges is recorded with the agent, one who whispers is not', () => {
    const recording = steps(talking({ record: true }), [start({ mode: 'WHISPER' }), connect()]);
    const plan = (effects: Effect[]) =>
      effects.flatMap((one) =>
        one.kind === 'media' && one.order.command === 'call:route' ? [one.order.record] : [],
      );
    expect(plan(recording.effects).at(-1)?.right).toEqual(['agent']);
    const barged = steps(recording.state, [{ type: 'monitor-mode', legId: 'sue', mode: 'BARGE' }]);
    expect(plan(barged.effects).at(-1)?.right).toEqual(['agent', 'sue']);
  });

  test('agents cannot monitor their own call', () => {
    expect(steps(talking(), [start({ agentId: 1 })]).state.monitors).toEqual([]);
  });

  test('a second device of the same supervisor replaces the first, which is notified', () => {
    const { state } = steps(talking(), [start(), connect()]);
    const { state: next, effects } = steps(state, [start({ deviceId: 'home', legId: 'sue-2' })]);
    expect(next.monitors.map(({ legId }) => legId)).toEqual(['sue-2']);
    expect(told(effects)).toEqual([
      {
        kind: 'notify-agent',
        agentId: 9,
        what: { message: 'monitor-ended', reason: 'REPLACED', deviceId: 'office', monitorId: 'sue' },
      },
    ]);
  });

  describe('a call on the direct path', () => {
    const direct = talking({ mediaPath: 'DIRECT' });
    const listening = steps(direct, [start(), connect()]).state;
    const moved = { kind: 'patch', patch: { mediaPath: 'ROOM' } };
    const allows = (...allowed: Monitor['mode'][]): CallEvent => ({ type: 'monitor-modes', allowed });

    test('stays there while supervisors listen', () => {
      expect(listening.mediaPath).toBe('DIRECT');
      const { state, effects } = steps(listening, [allows('LISTEN')]);
      expect(state.mediaPath).toBe('DIRECT');
      expect(effects).toEqual([]);
    });

    test.each([
      ['a supervisor starts to whisper', direct, start({ mode: 'WHISPER' })],
      ['a listener barges in', listening, { type: 'monitor-mode', legId: 'sue', mode: 'BARGE' }],
      ['the tenant allows whispering', direct, allows('LISTEN', 'WHISPER')],
    ] as [string, TalkingState, CallEvent][])('leaves it when %s, and not twice', (_, from, event) => {
      const { state, effects } = steps(from, [event, allows('LISTEN', 'WHISPER', 'BARGE')]);
      expect(state.mediaPath).toBe('ROOM');
      expect(effects.filter(({ kind }) => kind === 'patch')).toEqual([moved]);
    });

    test('leaves it before it is answered, too', () => {
      const route = { kind: 'owner', agentId: 1, ringTimeoutSeconds: 30, owner: 'reserved' } as const;
      const call = { callId: 7, record: false, mediaPath: 'DIRECT' } as const;
      const rings = beginInboundCall({ ...call, mediaNodeId: 'm', carrierLegId: 'c', route }, T0).state;
      const { state, effects } = step(rings, allows('BARGE'), T0);
      expect(state).toEqual({ ...rings, mediaPath: 'ROOM' });
      expect(effects).toEqual([moved]);
    });
  });

  test('audio that is not connected in time, or is lost for too long, ends it with a notification', () => {
    const began = steps(talking(), [start()]).state;
    const late = steps(began, [{ type: 'tick' }], T0 + 1000 + AGENT_CONNECT_MS);
    expect(late.state.monitors).toEqual([]);
    expect(recorded(late.effects)).toEqual([]);
    expect(told(late.effects)).toMatchObject([{ what: { message: 'monitor-ended', reason: 'FAILED' } }]);

    const lost = steps(began, [connect(), { type: 'leg-interrupted', legId: 'sue' }]).state;
    expect(nextDeadline(lost)).toBe(T0 + 1000 + MONITOR_GRACE_MS);
    expect(nextDeadline(steps(lost, [{ type: 'leg-restored', legId: 'sue' }]).state)).toBeNull();
    const given = steps(lost, [{ type: 'tick' }], T0 + 1000 + MONITOR_GRACE_MS);
    expect(given.state.monitors).toEqual([]);
    expect(recorded(given.effects)).toEqual(['MONITOR_STOPPED']);
  });

  test('an offer that media cannot answer ends it', () => {
    const { state } = steps(talking(), [start()]);
    const failed: CallEvent = {
      type: 'command-failed',
      command: 'agent:connect',
      legId: 'sue',
      message: 'no',
    };
    expect(steps(state, [failed]).state.monitors).toEqual([]);
  });

  test('the end of the call ends it, with a notification', () => {
    const { state } = steps(talking(), [start(), connect()]);
    const { effects } = step(state, { type: 'terminate' }, T0 + 5000);
    expect(recorded(effects)).toEqual(['ENDED']);
    expect(effects).toContainEqual({ kind: 'leave', who: 'ALL', reason: 'ENDED' });
    expect(told(effects).filter(({ agentId }) => agentId === 9)).toMatchObject([
      { what: { message: 'monitor-ended', reason: 'CALL_ENDED', monitorId: 'sue' } },
    ]);
  });

  test('modes that a tenant no longer allows become listening, or end', () => {
    const { state } = steps(talking(), [start({ mode: 'BARGE' }), connect()]);
    const fallen = steps(state, [{ type: 'monitor-modes', allowed: ['LISTEN'] }]);
    expect(fallen.state.monitors).toMatchObject([{ mode: 'LISTEN' }]);
    expect(told(fallen.effects)).toMatchObject([{ what: { message: 'monitor-updated', mode: 'LISTEN' } }]);
    expect(heard(lastRoute(fallen.effects) ?? {})['customer']).toEqual(['agent']);
    expect(steps(fallen.state, [{ type: 'monitor-modes', allowed: ['LISTEN'] }]).effects).toEqual([]);

    const barred = steps(state, [{ type: 'monitor-modes', allowed: ['WHISPER'] }]);
    expect(barred.state.monitors).toEqual([]);
    expect(told(barred.effects)).toMatchObject([
      { what: { message: 'monitor-ended', reason: 'NOT_ALLOWED' } },
    ]);
    expect(steps(state, [{ type: 'monitor-modes', allowed: ['BARGE'] }]).effects).toEqual([]);
  });

  test('a deleted supervisor no longer monitors; the call continues', () => {
    const { state } = steps(talking(), [start(), connect()]);
    const { state: next, effects } = steps(state, [{ type: 'agent-removed', agentId: 9 }]);
    expect(next).toMatchObject({ phase: 'talking', monitors: [], agent: { agentId: 1 } });
    expect(recorded(effects)).toEqual(['MONITOR_STOPPED']);
  });

  test('people without an agent are recorded by name', () => {
    const guest = { kind: 'DASHBOARD', agentId: null, name: 'Olga', deviceId: 'd1', legId: 'olga' } as const;
    const { effects } = steps(talking(), [start(guest), connect('olga')]);
    expect(effects).toContainEqual({ kind: 'join', who: 'MONITOR', monitor: guest });
    expect(effects).toContainEqual({
      kind: 'record',
      type: 'MONITOR_STARTED',
      metadata: { by: 'DASHBOARD', name: 'Olga', mode: 'LISTEN' },
    });
  });

  test('in the dashboard listening is always allowed, whispering if the tenant allows it', () => {
    const guest = { kind: 'DASHBOARD', agentId: null, sessionId: 4, name: 'Olga', deviceId: 'd1' } as const;
    const { state } = steps(talking(), [
      start(),
      connect(),
      start({ ...guest, legId: 'olga', mode: 'BARGE' }),
      connect('olga'),
    ]);
    const { state: next, effects } = steps(state, [{ type: 'monitor-modes', allowed: [] }]);
    expect(next).toMatchObject({ monitors: [{ legId: 'olga', mode: 'LISTEN' }] });
    expect(effects).toContainEqual({
      kind: 'notify-session',
      sessionId: 4,
      what: { message: 'monitor-updated', mode: 'LISTEN', deviceId: 'd1', monitorId: 'olga' },
    });
    expect(modesFor('SUPERVISOR', [])).toEqual([]);
    expect(modesFor('DASHBOARD', ['WHISPER'])).toEqual(['LISTEN', 'WHISPER']);
  });

  test('a page replaces only itself: the same device ID in another session is another monitor', () => {
    const guest = { kind: 'DASHBOARD', agentId: null, name: 'Olga', deviceId: 'd1' } as const;
    const { state } = steps(talking(), [
      start({ ...guest, sessionId: 1, legId: 'one' }),
      start({ ...guest, sessionId: 2, legId: 'two' }),
      start({ ...guest, sessionId: 1, legId: 'three' }),
    ]);
    expect(state).toMatchObject({ monitors: [{ legId: 'two' }, { legId: 'three' }] });
  });

  test('the number of monitors is limited, but each of them may reconnect', () => {
    const one = (index: number, legId = `leg-${index}`) => start({ agentId: 100 + index, legId });
    const full = Array.from({ length: MAX_MONITORS_PER_CALL }, (_, index) => one(index));
    const { state } = steps(talking(), full);
    expect(steps(state, [one(MAX_MONITORS_PER_CALL)]).state).toBe(state);
    const { state: again } = steps(state, [one(0, 'again')]);
    expect(again).toMatchObject({ monitors: { length: MAX_MONITORS_PER_CALL } });
  });

  test('no one can start to monitor a call that has ended', () => {
    const { state } = step(
      {
        ...talking(),
        phase: 'ended',
        outcome: {
          status: 'TERMINATED',
          terminationReason: 'COMPLETED',
          terminatedBy: 'AGENT',
          failureDetails: null,
        },
        endedAt: T0,
      },
      start(),
      T0,
    );
    expect(state.phase).toBe('ended');
  });
});
