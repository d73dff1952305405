/** Simulated networks between a carrier and the service, for audio packets and SIP messages. Deterministic for a given seed. */
import { seeded } from '../random.ts';
import { header, type SipMessage } from '../sip/message.ts';
import { T2_MS } from '../sip/transactions.ts';
import { asText, type Wire } from '../sip/wire.ts';

export type PacketNetwork = (packet: Buffer, go: () => void) => void;

const later = (ms: number, then: () => void) => void setTimeout(then, ms).unref();

export const losing =
  (share: number, random = seeded(1)): PacketNetwork =>
  (_, go) =>
    void (random() < share || go());

/** Delays each packet by up to `mostMs`, so that packets may overtake each other. */
export const jittering =
  (mostMs: number, random = seeded(2)): PacketNetwork =>
  (_, go) =>
    later(random() * mostMs, go);

/** Swaps every nth packet with the following one. */
export function swapping(nth: number): PacketNetwork {
  let count = 0;
  let held: (() => void) | null = null;
  return (_, go) => {
    count += 1;
    if (count % nth === 0) return void (held = go);
    go();
    held?.();
    held = null;
  };
}

export const duplicating: PacketNetwork = (_, go) => {
  go();
  go();
};

/** Delays packets for a while, then delivers them in one burst. */
export function stalling(everyMs: number, forMs: number): PacketNetwork {
  const since = performance.now();
  return (_, go) => {
    const phase = (performance.now() - since) % everyMs;
    if (phase < forMs) later(forMs - phase, go);
    else go();
  };
}

/** Loses the first message of each kind to the server; retransmissions pass. */
export function losingFirst(isAffected: (message: SipMessage) => boolean): Wire {
  const lost = new Set<string>();
  return {
    leave(message, go) {
      const key = `${message.method ?? message.status} ${header(message, 'cseq')} ${header(message, 'call-id')}`;
      if (!isAffected(message) || lost.has(key)) return go(asText(message));
      lost.add(key);
    },
  };
}

/** Duplicates every message to the server. */
export const repeating: Wire = {
  leave(message, go) {
    const text = asText(message);
    go(text);
    go(text);
  },
};

/** Rewrites each message into an equivalent form. */
export const rewriting = (rewrite: (text: string) => string): Wire => ({
  leave: (message, go) => go(rewrite(asText(message))),
});

export interface Odds {
  lost: number;
  twice: number;
  /** Share of messages delayed by up to `mostDelayMs`, so that they overtake each other. */
  late: number;
  mostDelayMs: number;
}

/** A bad network for SIP in both directions; records when it last passed a message. */
export class UnreliableWire implements Wire {
  /** When a message was last delivered, ms on performance.now. */
  lastAt = performance.now();
  /** When the sender of the last lost message will have repeated it; in the past if no message was lost. */
  repeatedBy = 0;
  readonly #random: () => number;
  readonly #odds: Odds;

  constructor(random: () => number, odds: Odds) {
    this.#random = random;
    this.#odds = odds;
  }

  leave(message: SipMessage, go: (text: string) => void): void {
    const text = asText(message);
    this.#pass(() => go(text));
  }

  arrive(_: SipMessage, take: () => void): void {
    this.#pass(take);
  }

  #pass(go: () => void): void {
    const { lost, twice, late, mostDelayMs } = this.#odds;
    if (this.#random() < lost) {
      this.repeatedBy = performance.now() + T2_MS;
      return;
    }
    const copies = this.#random() < twice ? 2 : 1;
    for (let copy = 0; copy < copies; copy += 1) {
      if (this.#random() < late) later(this.#random() * mostDelayMs, () => this.#through(go));
      else this.#through(go);
    }
  }

  #through(go: () => void): void {
    this.lastAt = performance.now();
    this.repeatedBy = 0;
    go();
  }
}

/** One wire per call of a phone. */
class WirePerCall implements Wire {
  readonly wires = new Map<string, Wire>();

  leave(message: SipMessage, go: (text: string) => void): void {
    const wire = this.wires.get(header(message, 'call-id'));
    if (wire?.leave) wire.leave(message, go);
    else go(asText(message));
  }

  arrive(message: SipMessage, take: () => void): void {
    const wire = this.wires.get(header(message, 'call-id'));
    if (wire?.arrive) wire.arrive(message, take);
    else take();
  }
}

/** From now on the messages of this call pass through `wire`; those of the phone's other calls do not. */
export function disturb(phone: { wire: Wire | null }, callId: string, wire: Wire): void {
  const perCall = phone.wire instanceof WirePerCall ? phone.wire : new WirePerCall();
  perCall.wires.set(callId, wire);
  phone.wire = perCall;
}
