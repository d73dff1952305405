import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { InviteGate } from './invite-gate.ts';

/** What of a node takes time, by a clock that the test sets. */
interface Speed {
  /** For each decision, of which several run concurrently. */
  decideMs: number;
  /** For each offer, which are made one after the other; 0: all agents are busy, so there is nothing to offer. */
  offerMs: number;
}

/** A node with one queue. */
class SimulatedNode {
  readonly #speed: Speed;
  readonly #decisions: { endsAtMs: number; end: () => void }[] = [];
  /** Calls whose dispatch has not finished: when each arrived. */
  readonly #undispatched: number[] = [];
  #offeredAtMs = 0;
  nowMs = 0;
  refused = 0;
  mostDecisions = 0;
  mostUndispatched = 0;
  readonly started: number[] = [];
  /** Of each dispatched call, from its arrival. */
  readonly waits: { arrivedAtMs: number; ms: number }[] = [];
  readonly gate = new InviteGate({
    undispatched: () => this.#undispatched.length,
    nowMs: () => this.nowMs,
  });

  constructor(speed: Speed) {
    this.#speed = speed;
  }

  arrive(): void {
    if (this.gate.isFull()) {
      this.refused += 1;
      return;
    }
    const arrivedAtMs = this.nowMs;
    void this.gate.run(async () => {
      this.started.push(arrivedAtMs);
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#decisions.push({ endsAtMs: this.nowMs + this.#speed.decideMs, end: resolve });
      this.mostDecisions = Math.max(this.mostDecisions, this.#decisions.length);
      await promise;
      if (this.#undispatched.length === 0) this.#offeredAtMs = this.nowMs;
      this.#undispatched.push(arrivedAtMs);
      this.mostUndispatched = Math.max(this.mostUndispatched, this.#undispatched.length);
    });
  }

  async pass(ms: number): Promise<void> {
    for (const until = this.nowMs + ms; this.nowMs < until;) {
      this.nowMs += 1;
      const ending = this.#decisions.filter(({ endsAtMs }) => endsAtMs <= this.nowMs);
      for (const decision of ending) {
        this.#decisions.splice(this.#decisions.indexOf(decision), 1);
        decision.end();
      }
      if (ending.length > 0) await turn();
      while (this.#undispatched.length > 0 && this.#offeredAtMs + this.#speed.offerMs <= this.nowMs) {
        this.#offeredAtMs += this.#speed.offerMs;
        const arrivedAtMs = this.#undispatched.shift() ?? 0;
        this.waits.push({ arrivedAtMs, ms: this.nowMs - arrivedAtMs });
        this.gate.proceed();
        await turn();
      }
    }
  }

  /** INVITEs at a steady rate. */
  async load(perSecond: number, seconds: number): Promise<void> {
    const startedAtMs = this.nowMs;
    for (let count = 0; count < perSecond * seconds; count += 1) {
      const atMs = startedAtMs + Math.floor((count * 1000) / perSecond);
      await this.pass(atMs - this.nowMs);
      this.arrive();
    }
  }

  longestWaitMs(sinceMs: number): number {
    return Math.max(0, ...this.waits.filter(({ arrivedAtMs }) => arrivedAtMs >= sinceMs).map(({ ms }) => ms));
  }
}

/** The surge with which an overload begins is over, and what it has left behind is offered. */
const SETTLED_MS = 8_000;

test('a surge of 100 INVITEs is admitted, four at a time, in order of arrival', async () => {
  const node = new SimulatedNode({ decideMs: 20, offerMs: 5 });
  for (let count = 0; count < 100; count += 1) node.arrive();
  await node.pass(3_000);
  expect(node.refused).toBe(0);
  expect(node.mostDecisions).toBe(4);
  expect(node.waits).toHaveLength(100);
  expect(node.started).toEqual(node.started.toSorted((a, b) => a - b));
});

test('offers that are slower than decisions slow down the decisions, so admitted calls are offered promptly', async () => {
  // 200 decisions a second are possible, and 40 offers.
  const node = new SimulatedNode({ decideMs: 20, offerMs: 25 });
  await node.load(160, 20);
  expect(node.mostUndispatched).toBeLessThanOrEqual(16);
  expect(node.longestWaitMs(SETTLED_MS)).toBeLessThan(1_000);
  // The queue never ran out of calls to offer.
  const offered = node.waits.length;
  await node.pass(1_000);
  expect(offered).toBeGreaterThan(40 * 20 * 0.97);
  expect(node.refused + node.waits.length).toBe(160 * 20);
});

test('at any speed and any rate above it, calls are offered promptly at the full rate, and the overload ends with its INVITEs', async () => {
  const speed = fc.record({
    decideMs: fc.integer({ min: 5, max: 60 }),
    offerMs: fc.integer({ min: 2, max: 40 }),
  });
  await fc.assert(
    fc.asyncProperty(speed, fc.double({ min: 1.2, max: 8, noNaN: true }), async (given, excess) => {
      const node = new SimulatedNode(given);
      const capacity = Math.min(4_000 / given.decideMs, 1_000 / given.offerMs);
      const seconds = 14;
      await node.load(Math.ceil(capacity * excess), seconds);
      expect(node.longestWaitMs(SETTLED_MS)).toBeLessThan(1_250);
      expect(node.waits.length).toBeGreaterThan(capacity * seconds * 0.9 - 20);
      await node.pass(1_250);
      expect(node.gate.isFull()).toBe(false);
      expect(node.refused + node.waits.length).toBe(Math.ceil(capacity * excess) * seconds);
    }),
    { numRuns: 30 },
  );
});

test('below the capacity nothing is refused', async () => {
  const node = new SimulatedNode({ decideMs: 20, offerMs: 10 });
  await node.load(90, 20);
  expect(node.refused).toBe(0);
  expect(node.longestWaitMs(0)).toBeLessThan(250);
});

test('calls that wait for busy agents are no overload, however many they are', async () => {
  const node = new SimulatedNode({ decideMs: 20, offerMs: 0 });
  await node.load(150, 60);
  expect(node.refused).toBe(0);
});

test('a decision that fails leaves its place to the next one', async () => {
  const gate = new InviteGate({ undispatched: () => 0 });
  const failed = Array.from({ length: 6 }, () => gate.run(() => Promise.reject(new Error('no database'))));
  const outcomes = await Promise.allSettled(failed);
  expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
  await expect(gate.run(() => Promise.resolve())).resolves.toBeUndefined();
});
