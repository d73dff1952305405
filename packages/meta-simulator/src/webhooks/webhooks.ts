/** The webhooks of the simulator: subscription, verification of the endpoint, faults, delivery. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { fetchProblem } from '../http.ts';
import { WebhookSender, type Delivery } from './sender.ts';
import {
  emptySchedule,
  flush,
  nextFlushAt,
  submit,
  type Fault,
  type NewFault,
  type Planned,
  type WebhookEvent,
} from './schedule.ts';

const VERIFY_TIMEOUT_MS = 5000;

export interface WebhooksOptions {
  readonly clock: Clock;
  readonly url: string | null;
  readonly verifyToken: string;
  readonly appSecret: string;
  readonly retryDelaysMs: readonly number[];
  readonly onDelivery: (delivery: Delivery) => void;
}

interface Subscription {
  /** Null uses the URL of the app. */
  readonly overrideUrl: string | null;
}

export class Webhooks {
  readonly #options: WebhooksOptions;
  readonly #sender: WebhookSender;
  readonly #subscriptions = new Map<string, Subscription>();
  #schedule = emptySchedule;
  #cancelFlush: () => void = () => undefined;

  constructor(options: WebhooksOptions) {
    this.#options = options;
    this.#sender = new WebhookSender({ ...options, url: (wabaId) => this.urlOf(wabaId) });
  }

  get faults(): readonly Fault[] {
    return this.#schedule.faults;
  }

  addFault(fault: NewFault): Fault {
    const added = { ...fault, id: randomUUID() };
    this.#schedule = { ...this.#schedule, faults: [...this.#schedule.faults, added] };
    return added;
  }

  clearFaults(): void {
    this.#schedule = { ...this.#schedule, faults: [] };
  }

  subscribe(wabaId: string, overrideUrl: string | null): void {
    this.#subscriptions.set(wabaId, { overrideUrl });
  }

  unsubscribe(wabaId: string): void {
    this.#subscriptions.delete(wabaId);
  }

  isSubscribed(wabaId: string): boolean {
    return this.#subscriptions.has(wabaId);
  }

  urlOf(wabaId: string): string | null {
    const subscription = this.#subscriptions.get(wabaId);
    return subscription ? (subscription.overrideUrl ?? this.#options.url) : null;
  }

  publish(event: Omit<WebhookEvent, 'id'>): void {
    this.#apply(submit(this.#schedule, { ...event, id: randomUUID() }, this.#options.clock.now()));
  }

  close(): void {
    this.#cancelFlush();
    this.#sender.close();
  }

  #apply({ schedule, posts }: Planned): void {
    const { clock } = this.#options;
    this.#schedule = schedule;
    for (const post of posts) {
      const wait = post.dueAt - clock.now();
      if (wait <= 0) this.#sender.send(post);
      else clock.after(wait, () => this.#sender.send(post));
    }
    this.#cancelFlush();
    const at = nextFlushAt(schedule);
    if (at === null) return;
    this.#cancelFlush = clock.after(Math.max(0, at - clock.now()), () =>
      this.#apply(flush(this.#schedule, clock.now())),
    );
  }
}

/** The handshake of Meta's dashboard: null if the endpoint echoed the challenge, otherwise what it did instead. */
export async function verifyEndpoint(url: string, verifyToken: string): Promise<string | null> {
  const challenge = BigInt(`0x${randomBytes(6).toString('hex')}`).toString();
  const target = new URL(url);
  target.searchParams.set('hub.mode', 'subscribe');
  target.searchParams.set('hub.verify_token', verifyToken);
  target.searchParams.set('hub.challenge', challenge);
  try {
    const response = await fetch(target, { signal: AbortSignal.timeout(VERIFY_TIMEOUT_MS) });
    const text = (await response.text()).trim();
    if (response.status !== 200) return `it responded ${response.status}`;
    return text === challenge ? null : 'it did not return the challenge';
  } catch (error) {
    return fetchProblem(error);
  }
}
