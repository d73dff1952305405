/**
 * Shared by the simulated people of a soak test: when it ends, the violations they have seen, and which errors are allowed while a process
 * is being killed.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { RefusedMessage } from '@clarion/testkit/agents/scripted-agent';
import type { TestStack } from '@clarion/testkit/stack/stack';
import { LegClosed } from '@clarion/testkit/agents/webrtc-leg';
import type { SoakFixture } from './fixture.ts';

/** After a kill, replies may be missing and sockets disconnected for this long. */
const DISTURBED_MS = 20_000;
/** Errors that a person who acts a moment too late may receive. */
const HARMLESS = new Set([
  'invalid_state',
  'call_ended',
  'not_found',
  'agent_busy',
  'agent_unavailable',
  'forbidden',
  'rate_limited',
]);

export class Soak {
  readonly t: TestStack;
  readonly fixture: SoakFixture;
  /** Counts of what happened, by name: the figures of the traffic. */
  readonly counts = new Map<string, number>();
  readonly violations: string[] = [];
  #disturbedUntil = 0;
  #stopped = false;

  constructor(t: TestStack, fixture: SoakFixture) {
    this.t = t;
    this.fixture = fixture;
  }

  get stopped(): boolean {
    return this.#stopped;
  }
  stop(): void {
    this.#stopped = true;
  }

  count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }

  violated(what: string): void {
    this.violations.push(`${new Date().toISOString()} ${what}`);
  }

  disturbed(): void {
    this.#disturbedUntil = performance.now() + DISTURBED_MS;
  }
  /** No process is being killed, and everyone is back. */
  get calm(): boolean {
    return performance.now() > this.#disturbedUntil;
  }

  /** Resolves early when the soak test stops. */
  async pause(ms: number): Promise<void> {
    const until = performance.now() + ms;
    while (!this.#stopped && performance.now() < until)
      await sleep(Math.max(0, Math.min(200, until - performance.now())));
  }

  /** Does something that may be too late or meet a process that is being killed; any other error is a violation. */
  async attempt<T>(what: string, work: () => Promise<T>): Promise<T | null> {
    try {
      const result = await work();
      this.count(what);
      return result;
    } catch (error) {
      const wasCalm = this.calm;
      const message = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
      if (isTooLate(error)) this.count(`${what}: too late`);
      else if (!wasCalm || this.#stopped) this.count(`${what}: disturbed`);
      else this.violated(`${what}: ${message}`);
      return null;
    }
  }
}

/** The call ended first, or this agent's own socket was disconnecting. */
function isTooLate(error: unknown): boolean {
  if (error instanceof RefusedMessage) return HARMLESS.has(error.code);
  return (
    error instanceof LegClosed ||
    (error instanceof Error && /socket has been disconnected/.test(error.message))
  );
}
