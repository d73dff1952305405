/** Calls with audio both ways that run while others are set up, every packet counted. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ScriptedAgent } from '@clarion/testkit/agents/scripted-agent';
import type { SipCall } from '@clarion/test-phone/sip/call';
import { Probe, type Direction } from '../probe.ts';

/** After the last of them was set up. */
const SETTLE_MS = 2_000;

export interface RunningResult {
  calls: number;
  /** Those that were not ended by the load. */
  stillConnected: number;
  toAgent: Direction;
  toCaller: Direction;
}

export class RunningCalls {
  readonly #toAgent = new Probe(1);
  readonly #toCaller = new Probe(2);
  readonly #calls: SipCall[] = [];

  add(call: SipCall, agent: ScriptedAgent, callId: number): void {
    const leg = agent.legs.get(callId);
    if (!leg) throw new Error('answered without audio');
    this.#toAgent.attach(this.#calls.length, call.audio, leg);
    this.#toCaller.attach(this.#calls.length, leg, call.audio);
    this.#calls.push(call);
  }

  async begin(): Promise<void> {
    await sleep(SETTLE_MS);
    this.#toAgent.begin();
    this.#toCaller.begin();
  }

  async end(): Promise<RunningResult> {
    const result = {
      calls: this.#calls.length,
      stillConnected: this.#calls.filter(({ state }) => state === 'answered').length,
      toAgent: this.#toAgent.end(),
      toCaller: this.#toCaller.end(),
    };
    await Promise.all(this.#calls.map((call) => call.hangUp()));
    return result;
  }
}
