/** A simulated agent: accepts, declines and misses calls, calls out, holds, transfers, reloads, takes breaks. */
import type { ScriptedAgent } from '@clarion/testkit/agents/scripted-agent';
import type { RealtimeName } from '@clarion/testkit/stack/stack';
import type { WebRtcLeg } from '@clarion/testkit/agents/webrtc-leg';
import type { CallView } from '@clarion/protocol/call';
import type { Session } from '@clarion/protocol/socket';
import type { SeededRandom } from '../lib/seeded-random.ts';
import type { Soak } from './lives.ts';
import { TENANT } from './fixture.ts';

const AGENT_HZ = 1000;
/** A break, or the next outbound call. */
const PAUSE_MS = { least: 2_000, most: 9_000 };

export class AgentLife {
  readonly #soak: Soak;
  readonly #random: SeededRandom;
  readonly #ref: string;
  readonly #agent: ScriptedAgent;
  #talking = 0;

  private constructor(soak: Soak, random: SeededRandom, ref: string, agent: ScriptedAgent) {
    this.#soak = soak;
    this.#random = random;
    this.#ref = ref;
    this.#agent = agent;
    agent.socket.on('call:incoming', ({ call }) => void this.#offered(call.callId));
    agent.socket.on('session', (session) => this.#resynced(session));
  }

  static async begin(soak: Soak, random: SeededRandom, ref: string, node: RealtimeName): Promise<AgentLife> {
    const agent = await soak.t.agent(ref, { tenant: TENANT, reconnect: true, node });
    const life = new AgentLife(soak, random, ref, agent);
    await agent.available();
    return life;
  }

  /** Between calls, until the soak test stops. @param callsOutFirst so that outbound calls occur in a short test as well */
  async live(callsOutFirst: boolean): Promise<void> {
    if (callsOutFirst) await this.#callOut();
    while (!this.#soak.stopped) {
      await this.#soak.pause(this.#random.between(PAUSE_MS.least, PAUSE_MS.most));
      if (this.#soak.stopped || this.#talking > 0) continue;
      const dice = this.#random.next();
      if (dice < 0.35) await this.#callOut();
      else if (dice < 0.45) await this.#break();
      else if (dice < 0.5) await this.#reload();
      this.#agent.received.splice(0); // earlier messages are not awaited any more
    }
  }

  async #offered(callId: number): Promise<void> {
    const dice = this.#random.next();
    if (dice < 0.07) return this.#soak.count('offer let ring');
    await this.#soak.pause(this.#random.between(50, 1200));
    if (dice < 0.15) {
      await this.#soak.attempt('decline', () => this.#agent.send('call:decline', { callId }));
      return;
    }
    const leg = await this.#soak.attempt('accept', () => this.#agent.accept(callId));
    if (leg) await this.#converse(callId, leg);
  }

  async #callOut(): Promise<void> {
    const { v1 } = this.#soak.t;
    const answer = await this.#soak.attempt('create', () =>
      v1.request<{ call?: CallView }>('POST', `/v1/tenants/${TENANT}/calls`, {
        channel_ref: this.#random.pick(['main', 'vip']),
        agent_ref: this.#ref,
        customer: { address: `+4420794620${String(Math.floor(this.#random.between(10, 99)))}` },
      }),
    );
    const callId = answer?.body.call?.callId;
    if (callId === undefined) return;
    if (this.#random.often(0.1)) {
      await this.#soak.attempt('terminate an intent', () => v1.ok('POST', `/v1/calls/${callId}/terminate`));
      return;
    }
    const leg = await this.#soak.attempt('start', () => this.#agent.start(callId));
    if (leg) return this.#converse(callId, leg);
    // An intent that was never started would count as a concurrent call for two minutes.
    await v1.request('POST', `/v1/calls/${callId}/terminate`).catch(() => undefined);
  }

  /** Until a party hangs up. Half of the time it is not this agent. */
  async #converse(callId: number, leg: WebRtcLeg): Promise<void> {
    this.#talking += 1;
    leg.keep = false;
    leg.sendTone(AGENT_HZ);
    const isOver = () => !this.#agent.legs.has(callId);
    for (let i = Math.floor(this.#random.between(0, 4)); i > 0 && !isOver(); i -= 1) {
      await this.#soak.pause(this.#random.between(300, 1500));
      if (!isOver()) await this.#something(callId);
    }
    await this.#soak.pause(this.#random.between(500, 4000));
    if (!isOver() && this.#random.often(0.5))
      await this.#soak.attempt('hang up', () => this.#agent.hangUp(callId));
    for (let waited = 0; !isOver() && waited < 15_000 && !this.#soak.stopped; waited += 200)
      await this.#soak.pause(200);
    if (!isOver()) await this.#soak.attempt('hang up', () => this.#agent.hangUp(callId));
    this.#talking -= 1;
  }

  async #something(callId: number): Promise<void> {
    const agent = this.#agent;
    const dice = this.#random.next();
    const attempt = (what: string, work: () => Promise<unknown>) => this.#soak.attempt(what, work);
    if (dice < 0.3) {
      await attempt('hold', () => agent.send('call:hold', { callId, held: true }));
      await this.#soak.pause(this.#random.between(200, 1500));
      await attempt('unhold', () => agent.send('call:hold', { callId, held: false }));
    } else if (dice < 0.4) {
      await attempt('mute', () => agent.send('call:mute', { callId, muted: this.#random.often(0.5) }));
    } else if (dice < 0.5) {
      await attempt('keys', () => agent.send('call:dtmf', { callId, digits: '12#' }));
    } else if (dice < 0.6) {
      const paused = this.#random.often(0.5);
      await attempt('pause recording', () => agent.send('call:record', { callId, paused }));
    } else if (dice < 0.85) {
      await this.#transfer(callId);
    } else {
      await this.#reload();
    }
  }

  async #transfer(callId: number): Promise<void> {
    const { fixture } = this.#soak;
    const colleague = fixture.agentIds.get(
      this.#random.pick(fixture.agents.filter((ref) => ref !== this.#ref)),
    );
    const to = this.#random.often(0.5)
      ? { callId, agentId: colleague ?? 0 }
      : { callId, queueId: this.#random.pick(fixture.queueIds) };
    const begun = await this.#soak.attempt('transfer', () => this.#agent.send('call:transfer', to));
    if (!begun) return;
    await this.#soak.pause(this.#random.between(200, 4000));
    if (this.#random.often(0.3) && this.#agent.legs.has(callId))
      await this.#soak.attempt('cancel transfer', () => this.#agent.send('call:transfer-cancel', { callId }));
  }

  /** The socket disconnects and reconnects; the call's audio continues. */
  async #reload(): Promise<void> {
    this.#soak.count('reload');
    this.#agent.socket.disconnect();
    await this.#soak.pause(this.#random.between(50, 800));
    this.#agent.socket.connect();
  }

  async #break(): Promise<void> {
    const set = (status: 'OFFLINE' | 'AVAILABLE') =>
      this.#soak.attempt(status, () => this.#agent.send('availability:set', { status }));
    await set('OFFLINE');
    await this.#soak.pause(this.#random.between(500, 2500));
    await set('AVAILABLE');
  }

  /** Calls that are not in this session have ended, whether or not this device was notified. */
  #resynced({ calls, agent }: Session): void {
    for (const [callId, leg] of this.#agent.legs) {
      if (calls.some((call) => call.callId === callId)) continue;
      leg.close();
      this.#agent.legs.delete(callId);
    }
    for (const call of calls) if (call.state === 'incoming') void this.#offered(call.callId);
    if (agent.shift === 'OFFLINE' && !this.#soak.stopped)
      void this.#soak.attempt('AVAILABLE', () => this.#agent.available());
  }
}
