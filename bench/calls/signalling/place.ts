/** Places calls at a rate and reports what became of each. No audio is sent: neither end ever starts a stream. */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CallView } from '@clarion/protocol/call';
import type { ScriptedAgent } from '@clarion/testkit/agents/scripted-agent';
import { V1Client } from '@clarion/testkit/stack/v1-client';
import type { SipCall } from '@clarion/test-phone/sip/call';
import { SipPhone } from '@clarion/test-phone/sip/phone';
import type { Agents } from './agents.ts';
import { seen } from './seen.ts';
import { startProber } from './prober-process.ts';
import type { ProbeResult } from './prober.ts';
import { RunningCalls, type RunningResult } from './running.ts';

export interface Site {
  url: string;
  apiKey: string;
  tenant: string;
  sip: { host: string; port: number };
  /** The line whose queue has all agents. */
  number: string;
  /** A line whose queue has nobody. */
  patientNumber: string;
}

/** answered: the caller or the agent ends it. abandoned: the caller cancels when an agent is offered the call. */
export type Kind = 'answered' | 'abandoned' | 'outbound';

export interface Load {
  kind: Kind;
  calls: number;
  /** New calls a second. */
  rate: number;
  /** From the answer to the end. */
  talkMs: number;
  /** Of a load above the capacity: calls with audio that run during it, and calls that are placed some time after its last INVITE. */
  overload?: { running: number; recovery: { afterMs: number; calls: number; rate: number } };
}

export interface PlacedLoad {
  placed: Placed[];
  recovered: Placed[];
  running: RunningResult | null;
  /** Only of a load above the capacity. */
  probed: ProbeResult | null;
}

export interface Placed {
  caller: string;
  outcome: 'as planned' | 'refused' | 'failed';
  /** Why it is not as planned. */
  reason?: string;
  /** ms of the load process's clock. */
  inviteAt: number;
  /** Of the first offer. */
  offeredAt: number | null;
  /** When the agent to whom it was offered had no other call any more. */
  agentIdleSince: number | null;
  answeredAt: number | null;
  refusedAt: number | null;
}

const ANSWER_TIMEOUT_MS = 40_000;
const END_TIMEOUT_MS = 15_000;
const CALLER_PREFIX = '4416329';
const CUSTOMER = '+442079460999';
let callers = 0;

/** A number that no other call of this run has. */
function nextCaller(): string {
  callers += 1;
  return `${CALLER_PREFIX}${String(callers).padStart(5, '0')}`;
}

export class Placing {
  readonly #site: Site;
  readonly #agents: Agents;
  readonly #phone: SipPhone;
  readonly #v1: V1Client;

  private constructor(site: Site, agents: Agents, phone: SipPhone) {
    this.#site = site;
    this.#agents = agents;
    this.#phone = phone;
    this.#v1 = new V1Client(site.url, site.apiKey);
  }

  static async open(site: Site, agents: Agents): Promise<Placing> {
    return new Placing(site, agents, await SipPhone.open({ laws: ['PCMA'] }));
  }

  async run(load: Load): Promise<PlacedLoad> {
    this.#agents.reset(load.kind === 'abandoned' ? 'ring' : 'accept');
    const { running: count, recovery } = load.overload ?? {};
    const running = count ? await this.#startRunning(count) : null;
    const { number, sip } = this.#site;
    const stopProber = load.overload ? startProber({ number, sip }) : null;
    const placed = await this.#placeAll(load);
    const probing = stopProber?.();
    if (recovery) await sleep(recovery.afterMs);
    const recovered = recovery ? await this.#placeAll({ ...load, ...recovery }) : [];
    const results = { placed: await Promise.all(placed), recovered: await Promise.all(recovered) };
    const ended = running ? await running.end() : null;
    return { ...results, running: ended, probed: (await probing) ?? null };
  }

  /** Resolves when the last INVITE has been sent. */
  async #placeAll(load: Load): Promise<Promise<Placed>[]> {
    const placed: Promise<Placed>[] = [];
    const startedAt = performance.now();
    for (let index = 0; index < load.calls; index += 1) {
      await sleep(Math.max(0, startedAt + (index * 1000) / load.rate - performance.now()));
      placed.push(load.kind === 'outbound' ? this.#outbound(load) : this.#inbound(load, index));
    }
    return placed;
  }

  async #startRunning(count: number): Promise<RunningCalls> {
    const running = new RunningCalls();
    for (let index = 0; index < count; index += 1) {
      const from = nextCaller();
      const call = await this.#phone.call(this.#site.number, this.#site.sip, { from });
      await call.answered(ANSWER_TIMEOUT_MS);
      const { agent, callId } = await this.#agents.takerOf(`+${from}`);
      running.add(call, agent, callId);
    }
    await running.begin();
    return running;
  }

  /** Calls that wait, until the load closes, in a queue that nobody serves. */
  async leaveWaiting(calls: number): Promise<void> {
    for (let index = 0; index < calls; index += 1) {
      const call = await this.#phone.call(this.#site.patientNumber, this.#site.sip, { from: nextCaller() });
      await call.rings(ANSWER_TIMEOUT_MS);
    }
  }

  async #inbound(load: Load, index: number): Promise<Placed> {
    const from = nextCaller();
    const call = await this.#phone.call(this.#site.number, this.#site.sip, { from });
    const failure = await (
      load.kind === 'abandoned'
        ? this.#abandon(call, `+${from}`)
        : this.#converse(call, `+${from}`, load.talkMs, index % 2 === 0)
    ).then(
      () => null,
      (error: Error) => error.message,
    );
    if (failure !== null) await call.hangUp().catch(() => undefined);
    const refused = call.end?.how === 'refused' && load.kind !== 'abandoned';
    this.#phone.forget(call);
    const offer = this.#agents.offers.get(`+${from}`);
    return {
      caller: `+${from}`,
      outcome: failure === null ? 'as planned' : refused ? 'refused' : 'failed',
      ...(failure === null ? {} : { reason: refused ? String(call.end?.status) : failure }),
      inviteAt: call.times.invite,
      offeredAt: offer?.at ?? null,
      agentIdleSince: offer?.idleSince ?? null,
      answeredAt: call.times.answered ?? null,
      refusedAt: refused ? (call.times.ended ?? null) : null,
    };
  }

  async #abandon(call: SipCall, caller: string): Promise<void> {
    const ended = call.until(() => call.state === 'ended', 'the end', ANSWER_TIMEOUT_MS);
    await Promise.race([this.#agents.offered(caller), ended]);
    if (call.state === 'ended') throw new Error('ended before it was offered');
    await call.hangUp();
    await ended;
  }

  async #converse(call: SipCall, caller: string, talkMs: number, callerEnds: boolean): Promise<void> {
    await call.answered(ANSWER_TIMEOUT_MS);
    await sleep(talkMs);
    const callId = this.#agents.offers.get(caller)?.callId ?? 0;
    const agent = this.#agents.taken.get(callId);
    if (callerEnds || !agent) await call.hangUp();
    else {
      await agent.hangUp(callId);
      await call.ended(END_TIMEOUT_MS);
    }
  }

  async #outbound({ talkMs }: Load): Promise<Placed> {
    const { agent, index } = this.#agents.next();
    const inviteAt = performance.now();
    const never = { offeredAt: null, agentIdleSince: null, refusedAt: null };
    const placed = { caller: CUSTOMER, inviteAt, ...never };
    try {
      const answeredAt = await this.#talk(agent, index, talkMs);
      return { ...placed, outcome: 'as planned', answeredAt };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return { ...placed, outcome: 'failed', reason, answeredAt: null };
    }
  }

  /** Resolves with the moment of the answer when the call has ended. */
  async #talk(agent: ScriptedAgent, index: number, talkMs: number): Promise<number> {
    const body = { channel_ref: 'main', agent_ref: `agent-${index}`, customer: { address: CUSTOMER } };
    const path = `/v1/tenants/${this.#site.tenant}/calls`;
    const { call } = await this.#v1.ok<{ call: CallView }>('POST', path, body);
    const answered = seen(
      agent,
      'call:updated',
      call.callId,
      ANSWER_TIMEOUT_MS,
      ({ answeredAt }) => answeredAt !== null,
    );
    const ended = seen(agent, 'call:ended', call.callId, ANSWER_TIMEOUT_MS, () => true);
    await agent.start(call.callId);
    const answeredAt = await Promise.race([
      answered,
      ended.then(() => Promise.reject(new Error('not answered'))),
    ]);
    await sleep(talkMs);
    await agent.hangUp(call.callId);
    await ended;
    return answeredAt;
  }

  close(): void {
    this.#phone.close();
  }
}
