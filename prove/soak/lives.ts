/** What the lives of a soak share: when it is over, what they have seen go wrong, and what may go wrong while a process is being killed. */
import { setTimeout as sleep } from 'node:timers/promises';
import { RefusedMessage } from '@clarion/testkit/agents/scripted-agent';
import type { TestStack } from '@clarion/testkit/stack/stack';
import { LegClosed } from '@clarion/testkit/agents/webrtc-leg';
import type { Town } from './town.ts';

/** After a kill, answers may be missing and sockets away for this long. */
const DISTURBED_MS = 20_000;
/** What a person may be told who comes a moment too late. */
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
  readonly town: Town;
  /** What happened, by name: the traffic's own figures. */
  readonly counts = new Map<string, number>();
  readonly violations: string[] = [];
  #disturbedUntil = 0;
  #stopped = false;

  constructor(t: TestStack, town: Town) {
    this.t = t;
    this.town = town;
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
  /** Nothing is killed, and everybody is back. */
  get calm(): boolean {
    return performance.now() > this.#disturbedUntil;
  }

  /** Resolves early when the soak stops. */
  async pause(ms: number): Promise<void> {
    const until = performance.now() + ms;
    while (!this.#stopped && performance.now() < until)
      await sleep(Math.max(0, Math.min(200, until - performance.now())));
  }

  /** Does something that may come too late, or meet a process that is being killed; anything else is a violation. */
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

/** The call was over first, or this agent's own socket was just being dropped. */
function isTooLate(error: unknown): boolean {
  if (error instanceof RefusedMessage) return HARMLESS.has(error.code);
  return (
    error instanceof LegClosed ||
    (error instanceof Error && /socket has been disconnected/.test(error.message))
  );
}
