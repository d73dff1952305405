/** The agents of the load: each takes any number of calls, one after the other, and notes an offer that came during another call. */
import { performance } from 'node:perf_hooks';
import { ScriptedAgent } from '@clarion/testkit/agents/scripted-agent';

const CONNECT_AT_ONCE = 10;

/** When offered, agents accept immediately or let it ring. */
export type OnOffer = 'accept' | 'ring';

export interface Offer {
  /** ms of performance.now. */
  at: number;
  callId: number;
  agent: ScriptedAgent;
  /** When the agent's previous call had ended. */
  idleSince: number;
}

interface Seat {
  agent: ScriptedAgent;
  idleSince: number;
  /** Calls that this agent was offered and that have neither ended nor been withdrawn. */
  calls: Set<number>;
}

export class Agents {
  onOffer: OnOffer = 'accept';
  /** Offers to an agent who had another call. */
  doubleOffers = 0;
  /** The first offer of each inbound call, by the caller's number. */
  readonly offers = new Map<string, Offer>();
  /** The agent who has the call, once its audio is connected. */
  readonly taken = new Map<number, ScriptedAgent>();
  readonly #accepting = new Map<number, Promise<void>>();
  readonly failures: string[] = [];
  readonly #seats: Seat[] = [];
  readonly #waiting = new Map<string, () => void>();
  #next = 0;

  /** In addition to those that are connected. */
  async connect(url: string, tokens: string[]): Promise<void> {
    for (let first = 0; first < tokens.length; first += CONNECT_AT_ONCE) {
      const some = tokens.slice(first, first + CONNECT_AT_ONCE);
      const connected = this.#seats.length;
      await Promise.all(some.map((token, i) => this.#connectOne(url, token, connected + i)));
    }
  }

  async #connectOne(url: string, token: string, index: number): Promise<void> {
    const agent = await ScriptedAgent.connect({ url, token, deviceId: `bench-${index}` });
    const seat: Seat = { agent, idleSince: 0, calls: new Set() };
    this.#seats[index] = seat;
    agent.socket.on('call:incoming', ({ call }) => this.#offered(seat, call.callId, call.customer.address));
    const released = (callId: number) => {
      if (seat.calls.delete(callId)) seat.idleSince = performance.now();
    };
    agent.socket.on('call:withdrawn', ({ callId }) => released(callId));
    agent.socket.on('call:ended', ({ call }) => released(call.callId));
    agent.socket.onAny(() => agent.received.splice(0)); // thousands of calls would fill the memory
    await agent.available();
  }

  #offered(seat: Seat, callId: number, address: string | null): void {
    const caller = address ?? '';
    if (seat.calls.size > 0 && !seat.calls.has(callId)) this.doubleOffers += 1;
    seat.calls.add(callId);
    if (!this.offers.has(caller)) {
      const { agent, idleSince } = seat;
      this.offers.set(caller, { at: performance.now(), callId, agent, idleSince });
      this.#waiting.get(caller)?.();
    }
    if (this.onOffer === 'ring') return;
    const accepting = seat.agent.accept(callId).then(
      () => void this.taken.set(callId, seat.agent),
      (error: Error) => void this.failures.push(`accept: ${error.message}`),
    );
    this.#accepting.set(callId, accepting);
  }

  /** Resolves when this caller is offered to an agent for the first time. */
  async offered(caller: string): Promise<void> {
    if (this.offers.has(caller)) return;
    await new Promise<void>((resolve) => this.#waiting.set(caller, resolve));
  }

  /** Resolves with the agent who has this caller, and the call. */
  async takerOf(caller: string): Promise<{ agent: ScriptedAgent; callId: number }> {
    await this.offered(caller);
    const callId = this.offers.get(caller)?.callId ?? 0;
    await this.#accepting.get(callId);
    const agent = this.taken.get(callId);
    if (!agent) throw new Error('the offer was not accepted');
    return { agent, callId };
  }

  /** Agents in turn, for calls that they place themselves. */
  next(): { agent: ScriptedAgent; index: number } {
    const index = this.#next % this.#seats.length;
    this.#next += 1;
    const seat = this.#seats[index];
    if (!seat) throw new Error('no agents');
    return { agent: seat.agent, index };
  }

  /** Forgets the calls of the last load. */
  reset(onOffer: OnOffer): void {
    this.onOffer = onOffer;
    this.doubleOffers = 0;
    this.offers.clear();
    this.taken.clear();
    this.#accepting.clear();
    this.#waiting.clear();
    this.failures.splice(0);
  }

  close(): void {
    for (const { agent } of this.#seats) agent.close();
  }
}
