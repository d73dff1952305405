/**
 * Reports the connection of an agent's leg together with the ACK of the 200 that it caused (`agent:connect`), as one fact, so that the engine commits
 * one step for both. It is reported by itself if the ACK is late, or if something else happens to one of the two legs first. Either way, later facts of
 * both legs wait until it is acknowledged: the end of a leg means something else to the engine while it does not know that the call was answered.
 */
import type { MediaFact, MediaFactPayload } from '@clarion/protocol/media';
import type { PutOptions } from './outbox.ts';

/** How long a connection waits for the ACK: more than the round trip to a distant carrier. */
export const ACK_WAIT_MS = 250;

type Connected = MediaFactPayload<'leg:connected'>;
type Report = <F extends MediaFact>(
  fact: F,
  payload: MediaFactPayload<F>,
  options?: Pick<PutOptions, 'otherLegId'>,
) => void;

export class ConnectionFacts {
  readonly #report: Report;
  /** By the customer's leg: the agent's. */
  readonly #waiting = new Map<string, { agent: Connected; timer: NodeJS.Timeout }>();

  constructor(report: Report) {
    this.#report = report;
  }

  /** An agent's leg is connected, and the customer's leg is being sent a 200 for it. */
  answering(customerLegId: string, agent: Connected): void {
    const timer = setTimeout(() => this.#reportAlone(customerLegId), ACK_WAIT_MS);
    this.#waiting.set(customerLegId, { agent, timer });
  }

  /** Any other fact. */
  report<F extends MediaFact>(fact: F, payload: MediaFactPayload<F>): void {
    const customerLegId = this.#customerOf(payload.legId);
    if (customerLegId === null) this.#report(fact, payload);
    else if (fact === 'leg:connected' && payload.legId === customerLegId) {
      const { legId, codec } = this.#take(customerLegId);
      const both = { ...(payload as Connected), agent: { legId, codec } };
      this.#report('leg:connected', both, { otherLegId: legId });
    } else {
      this.#reportAlone(customerLegId);
      this.#report(fact, payload);
    }
  }

  #reportAlone(customerLegId: string): void {
    const agent: Connected = { ...this.#take(customerLegId), answered: true };
    this.#report('leg:connected', agent, { otherLegId: customerLegId });
  }

  #take(customerLegId: string): Connected {
    const waiting = this.#waiting.get(customerLegId);
    if (!waiting) throw new Error(`no connection waits for the ACK of leg ${customerLegId}`);
    clearTimeout(waiting.timer);
    this.#waiting.delete(customerLegId);
    return waiting.agent;
  }

  /** The customer's leg of a waiting connection, by either leg. */
  #customerOf(legId: string): string | null {
    for (const [customerLegId, { agent }] of this.#waiting)
      if (legId === customerLegId || legId === agent.legId) return customerLegId;
    return null;
  }
}
