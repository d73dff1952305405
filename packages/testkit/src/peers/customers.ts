/** Customers who use the telephone or WhatsApp, with one interface, so that one test covers both channels. */
import type { Behaviour, CallOptions } from '@clarion/test-phone/sip/phone';
import { line, whatsAppLine } from '../stack/call-centre.ts';
import type { TestStack } from '../stack/stack.ts';
import type { FarCall } from './far-call.ts';

export const channels = ['SIP', 'WHATSAPP'] as const;
export type Channel = (typeof channels)[number];

/** Interruptions of a tone, in ms. */
export interface LongestGapsMs {
  agent: number;
  customer: number;
}

/**
 * The longest interruptions that are accepted from a busy machine. A browser that has to wait for a core plays packets that are late with a
 * gap; a SIP customer's packets are placed by their timestamps. On WhatsApp, media decodes and encodes in real time, so that both sides hear
 * it wait.
 */
export const LONGEST_GAP_MS: Record<Channel, LongestGapsMs> = {
  SIP: { agent: 60, customer: 0 },
  WHATSAPP: { agent: 100, customer: 100 },
};

/** A customer who can be called. */
export interface Called {
  address: string;
  /** Resolves with the call once it reaches the customer. */
  taken: Promise<FarCall>;
}

export interface Customers {
  /** What `line` calls a line: different on each channel, so that both have their lines in one tenant. */
  ref(line: string): string;
  /** Creates a line of the channel. @returns what customers call */
  line(ref: string, body: Record<string, unknown>): Promise<string>;
  /** A customer calls. A phone's options have no effect on WhatsApp. */
  call(number: string, options?: CallOptions): Promise<FarCall>;
  /** A customer who answers calls from this line, after `afterMs`. */
  answering(number: string, afterMs?: number): Called;
}

export const customersOf = (t: TestStack, channel: Channel, options: { tenant?: string } = {}): Customers =>
  channel === 'SIP' ? phones(t, options) : whatsApp(t, options);

const phones = (t: TestStack, { tenant = 'shop' }: { tenant?: string }): Customers => ({
  ref: (ref) => ref,
  line: (ref, body) => line(t, ref, body, { tenant }),
  async call(number, callOptions = {}) {
    const phone = await t.phone();
    return phone.call(number, t.sip, callOptions);
  },
  answering(_, afterMs = 0) {
    t.carrier.behaviour = { do: 'answer', afterMs } satisfies Behaviour;
    return { address: '+442079460999', taken: t.carrier.nextCall() };
  },
});

/** Each call has a customer of its own, because a customer has one call with a number at a time. */
const whatsApp = (t: TestStack, { tenant = 'shop' }: { tenant?: string }): Customers => {
  const ref = (each: string) => `${each}-whatsapp`;
  return {
    ref,
    line: (each, body) => whatsAppLine(t, ref(each), body, { tenant }),
    call: (number) => t.meta.addCustomer().call(number),
    answering(number, afterMs = 0) {
      const customer = t.meta.addCustomer({ behaviour: { onCall: 'answer', afterMs } });
      customer.allow(number);
      return { address: `+${customer.waId}`, taken: customer.nextCall(number) };
    },
  };
};
