import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ICE_TIMING, type ChecksState, type IceAction, type IceEvent } from './ice-check-types.ts';
import { initialChecks, nextTimerMs, stepChecks } from './ice-checks.ts';

const NO_JITTER = 0.5;
const HIGH = { address: '192.0.2.1', port: 3_478, priority: 200 };
const LOW = { address: '192.0.2.2', port: 3_478, priority: 100 };
const OUR_TIE_BREAKER = 100n;

type Send = IceAction & { kind: 'send' };

/** The machine with a clock that is advanced by hand. */
class Machine {
  state: ChecksState = initialChecks(OUR_TIE_BREAKER, ICE_TIMING);
  nowMs = 1_000;
  readonly actions: IceAction[] = [];

  on(event: IceEvent): IceAction[] {
    const { state, actions } = stepChecks(this.state, event, this.nowMs, NO_JITTER);
    this.state = state;
    this.actions.push(...actions);
    return actions;
  }

  start(candidates = [HIGH], remoteLite = true): IceAction[] {
    return this.on({ kind: 'start', candidates, remoteLite });
  }

  /** Advances the clock to the next timer. */
  tick(): IceAction[] {
    const nextMs = nextTimerMs(this.state);
    if (nextMs === null) throw new Error('no timer is due');
    this.nowMs = Math.max(nextMs, this.nowMs);
    return this.on({ kind: 'timer' });
  }

  answer(id: number): IceAction[] {
    return this.on({ kind: 'answered', id });
  }

  connect(): void {
    const [reach] = sends(this.start());
    const [nominate] = sends(this.answer(reach?.id ?? 0));
    this.answer(nominate?.id ?? 0);
  }

  kinds(): IceAction['kind'][] {
    return this.actions.map(({ kind }) => kind);
  }
}

const sends = (actions: readonly IceAction[]): Send[] => actions.filter((action) => action.kind === 'send');

test('a pair that answers is nominated, and connected when the nomination is answered', () => {
  const machine = new Machine();
  const [reach] = sends(machine.start());
  expect(reach).toMatchObject({ to: { address: HIGH.address }, nominate: false, role: 'controlling' });
  const afterReach = machine.answer(reach?.id ?? 0);
  expect(afterReach.map(({ kind }) => kind)).toEqual(['select', 'send']);
  const [nominate] = sends(afterReach);
  expect(nominate).toMatchObject({ to: { address: HIGH.address }, nominate: true });
  expect(machine.answer(nominate?.id ?? 0)).toEqual([{ kind: 'connected' }]);
});

test('an unanswered request is repeated with the same transaction at intervals up to the longest one', () => {
  const machine = new Machine();
  const [first] = sends(machine.start());
  const times: number[] = [];
  while (times.length < 4) {
    const [again] = sends(machine.tick());
    expect(again?.id).toBe(first?.id);
    times.push(machine.nowMs - 1_000);
  }
  expect(times).toEqual([250, 750, 1_250, 1_750]);
});

test('a remote party that begins to answer late is connected', () => {
  const machine = new Machine();
  const [first] = sends(machine.start());
  while (machine.nowMs < 15_000) machine.tick();
  const [nominate] = sends(machine.answer(first?.id ?? 0));
  expect(machine.answer(nominate?.id ?? 0)).toEqual([{ kind: 'connected' }]);
});

test('without an answer the checks fail once, at their limit, and nothing follows', () => {
  const machine = new Machine();
  machine.start([HIGH, LOW]);
  while (nextTimerMs(machine.state) !== null) machine.tick();
  expect(machine.nowMs).toBe(1_000 + ICE_TIMING.limitMs);
  expect(machine.actions.at(-1)).toEqual({ kind: 'failed', code: null });
  expect(machine.start()).toEqual([]);
});

describe('of two candidates', () => {
  test('the one with the higher priority is checked first, and the other one after a pause', () => {
    const machine = new Machine();
    expect(sends(machine.start([LOW, HIGH])).map(({ to }) => to.address)).toEqual([HIGH.address]);
    expect(sends(machine.tick()).map(({ to }) => to.address)).toEqual([LOW.address]);
    expect(machine.nowMs).toBe(1_000 + ICE_TIMING.paceMs);
  });

  test('the better one is nominated if it answers soon after the other one', () => {
    const machine = new Machine();
    const [high] = sends(machine.start([HIGH, LOW]));
    const [low] = sends(machine.tick());
    expect(sends(machine.answer(low?.id ?? 0))).toEqual([]);
    const [nominate] = sends(machine.answer(high?.id ?? 0));
    expect(nominate).toMatchObject({ to: { address: HIGH.address }, nominate: true });
  });

  test('the other one is nominated if the better one does not answer in time', () => {
    const machine = new Machine();
    machine.start([HIGH, LOW]);
    const [low] = sends(machine.tick());
    machine.answer(low?.id ?? 0);
    const sent = sends(machine.tick());
    expect(sent).toEqual([expect.objectContaining({ nominate: true })]);
    expect(sent[0]?.to.address).toBe(LOW.address);
  });
});

describe('a refusal', () => {
  test('is followed by another check, because the remote party may not know our description yet', () => {
    const machine = new Machine();
    const [first] = sends(machine.start());
    expect(machine.on({ kind: 'refused', id: first?.id ?? 0, code: 401 })).toEqual([]);
    const [second] = sends(machine.tick());
    expect(second?.id).not.toBe(first?.id);
    expect(machine.nowMs).toBe(1_000 + ICE_TIMING.maxRetryMs);
  });

  test('of every check ends them before the limit, and names the last code', () => {
    const machine = new Machine();
    let [check] = sends(machine.start());
    while (machine.state.phase === 'checking') {
      machine.on({ kind: 'refused', id: check?.id ?? 0, code: 401 });
      if (machine.state.phase === 'checking') [check] = sends(machine.tick());
    }
    expect(machine.actions.at(-1)).toEqual({ kind: 'failed', code: 401 });
    expect(machine.nowMs).toBeLessThan(1_000 + ICE_TIMING.limitMs);
  });
});

describe('a role conflict', () => {
  const request = (
    kind: 'controlling' | 'controlled',
    tieBreaker: bigint,
    useCandidate = false,
  ): IceEvent => ({
    kind: 'request',
    from: { address: HIGH.address, port: HIGH.port },
    priority: 1,
    useCandidate,
    role: { kind, tieBreaker },
  });

  test('is decided for the larger tie-breaker', () => {
    const machine = new Machine();
    machine.start([HIGH], false);
    expect(machine.on(request('controlling', OUR_TIE_BREAKER))[0]).toEqual({ kind: 'refuse', code: 487 });
    expect(machine.state.role).toBe('controlling');
    expect(machine.on(request('controlling', OUR_TIE_BREAKER + 1n))[0]).toEqual({ kind: 'answer' });
    expect(machine.state.role).toBe('controlled');
    expect(machine.on(request('controlled', OUR_TIE_BREAKER + 1n))[0]).toEqual({ kind: 'refuse', code: 487 });
    expect(machine.on(request('controlled', OUR_TIE_BREAKER))[0]).toEqual({ kind: 'answer' });
    expect(machine.state.role).toBe('controlling');
  });

  test('with a lite party leaves us in control', () => {
    const machine = new Machine();
    const [first] = sends(machine.start());
    expect(machine.on(request('controlling', 0xffffffffffffffffn))).toEqual([{ kind: 'refuse', code: 487 }]);
    machine.on({ kind: 'refused', id: first?.id ?? 0, code: 487 });
    expect(sends(machine.tick())).toEqual([expect.objectContaining({ role: 'controlling' })]);
  });

  test('that we lose makes the nomination of the remote party count, once its pair has answered', () => {
    const machine = new Machine();
    const [first] = sends(machine.start([HIGH], false));
    machine.on({ kind: 'refused', id: first?.id ?? 0, code: 487 });
    expect(machine.state.role).toBe('controlled');
    expect(machine.on(request('controlling', 1n, true)).map(({ kind }) => kind)).toEqual(['answer', 'send']);
    const check = sends(machine.actions).at(-1);
    expect(check).toMatchObject({ role: 'controlled', nominate: false });
    expect(machine.answer(check?.id ?? 0).map(({ kind }) => kind)).toEqual(['select', 'connected']);
  });
});

test('a request before the remote description is answered, and its source is checked afterwards', () => {
  const machine = new Machine();
  const from = { address: '192.0.2.77', port: 40_000 };
  expect(machine.on({ kind: 'request', from, priority: 7, useCandidate: false, role: null })).toEqual([
    { kind: 'answer' },
  ]);
  machine.start([HIGH]);
  expect(sends(machine.tick()).map(({ to }) => to)).toEqual([from]);
});

test('requests from any number of sources add a limited number of pairs', () => {
  const machine = new Machine();
  const from = (index: number) => ({ address: '192.0.2.77', port: 1_000 + index });
  for (let index = 0; index < 50; index += 1)
    machine.on({ kind: 'request', from: from(index), priority: 1, useCandidate: false, role: null });
  expect(machine.state.pairs.length).toBe(4);
  machine.start();
  for (let index = 0; index < 50; index += 1)
    machine.on({ kind: 'request', from: from(index), priority: 1, useCandidate: false, role: null });
  expect(machine.state.pairs.length).toBe(16);
});

describe('consent', () => {
  test('is renewed by each answer', () => {
    const machine = new Machine();
    machine.connect();
    for (let count = 0; count < 20; count += 1) {
      const [consent] = sends(machine.tick());
      expect(consent).toMatchObject({ nominate: false, to: { address: HIGH.address } });
      machine.answer(consent?.id ?? 0);
    }
    expect(machine.nowMs).toBe(1_000 + 20 * ICE_TIMING.consentIntervalMs);
    expect(machine.kinds()).not.toContain('lost');
  });

  test('expires 30 s after the last answer, once', () => {
    const machine = new Machine();
    machine.connect();
    const [consent] = sends(machine.tick());
    machine.answer(consent?.id ?? 0);
    const renewedAtMs = machine.nowMs;
    while (nextTimerMs(machine.state) !== null) machine.tick();
    expect(machine.nowMs).toBe(renewedAtMs + ICE_TIMING.consentTimeoutMs);
    expect(machine.kinds().filter((kind) => kind === 'lost')).toHaveLength(1);
  });

  test('a refusal does not renew it', () => {
    const machine = new Machine();
    machine.connect();
    while (nextTimerMs(machine.state) !== null)
      for (const { id } of sends(machine.tick())) machine.on({ kind: 'refused', id, code: 400 });
    expect(machine.kinds()).toContain('lost');
  });
});

/** Any sequence of what a remote party can cause, with times in between. */
const endpoint = fc.record({
  address: fc.constantFrom('192.0.2.1', '192.0.2.2', '192.0.2.3'),
  port: fc.integer({ min: 1, max: 3 }),
});
const remoteRole = fc.option(
  fc.record({
    kind: fc.constantFrom('controlling' as const, 'controlled' as const),
    tieBreaker: fc.bigInt({ min: 0n, max: 200n }),
  }),
);
const event: fc.Arbitrary<IceEvent> = fc.oneof(
  fc.record({ kind: fc.constant('answered' as const), id: fc.integer({ min: 0, max: 30 }) }),
  fc.record({
    kind: fc.constant('refused' as const),
    id: fc.integer({ min: 0, max: 30 }),
    code: fc.constantFrom(400, 401, 487, 500),
  }),
  fc.record({
    kind: fc.constant('request' as const),
    from: endpoint,
    priority: fc.integer({ min: 1, max: 300 }),
    useCandidate: fc.boolean(),
    role: remoteRole,
  }),
  fc.constant({ kind: 'timer' as const }),
);
const events = fc.array(fc.tuple(event, fc.integer({ min: 0, max: 3_000 })), { maxLength: 60 });

test('whatever arrives, only pairs that have answered are selected and nominated, and each outcome is reported once', () => {
  fc.assert(
    fc.property(events, fc.boolean(), fc.double({ min: 0, max: 1, noNaN: true }), (all, lite, random) => {
      let state = initialChecks(OUR_TIE_BREAKER, ICE_TIMING);
      let nowMs = 0;
      const sentTo = new Map<number, string>();
      const answeredBy = new Set<string>();
      const outcomes: string[] = [];
      const feed = (one: IceEvent) => {
        if (one.kind === 'answered' && state.checks.some(({ id }) => id === one.id))
          answeredBy.add(sentTo.get(one.id) ?? '');
        const before = JSON.stringify(state, bigints);
        const { state: after, actions } = stepChecks(state, one, nowMs, random);
        expect(JSON.stringify(state, bigints)).toBe(before);
        state = after;
        for (const action of actions) {
          if (action.kind === 'send') {
            const to = `${action.to.address}:${action.to.port}`;
            sentTo.set(action.id, to);
            if (action.nominate) expect(answeredBy).toContain(to);
          } else if (action.kind === 'select') {
            expect(answeredBy).toContain(`${action.remote.address}:${action.remote.port}`);
          } else if (action.kind === 'connected') expect(state.selected).not.toBeNull();
          if (['connected', 'failed', 'lost'].includes(action.kind)) outcomes.push(action.kind);
        }
      };
      feed({ kind: 'start', candidates: [HIGH, LOW], remoteLite: lite });
      for (const [one, afterMs] of all) {
        nowMs += afterMs;
        feed(one);
      }
      // From here on nothing arrives.
      for (let timers = 0; nextTimerMs(state) !== null; timers += 1) {
        const dueMs = nextTimerMs(state) ?? 0;
        nowMs = Math.max(nowMs, dueMs);
        feed({ kind: 'timer' });
        expect(nextTimerMs(state) ?? Infinity).toBeGreaterThan(nowMs);
        expect(timers).toBeLessThan(2_000);
      }
      expect([['failed'], ['connected', 'lost']]).toContainEqual(outcomes);
    }),
  );
});

const bigints = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint' ? String(value) : value;
