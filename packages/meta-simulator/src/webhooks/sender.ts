/** Delivers POSTs to the webhook: in order, with a timeout, and again until the receiver answers 200. */
import type { Clock } from '../clock.ts';
import { fetchProblem } from '../http.ts';
import { payloadOf, signatureOf } from './payload.ts';
import type { EventKind, Post } from './schedule.ts';

/** Meta waits this long for a response. */
const RESPONSE_TIMEOUT_MS = 20_000;
/** A slow receiver does not stop the following POSTs: Meta does not wait, and this much order suffices for a receiver that works. */
const ORDER_WAIT_MS = 1000;
/** Meta's schedule is not published: it retries soon, then ever more rarely, for days. */
export const DEFAULT_RETRY_DELAYS_MS: readonly number[] = [1000, 5000, 30_000, 120_000, 600_000, 3_600_000];

export interface Delivery {
  readonly kinds: readonly EventKind[];
  readonly subjects: readonly string[];
  readonly attempt: number;
  /** Null if there was no response. */
  readonly status: number | null;
  readonly error: string | null;
  readonly signature: Post['signature'];
}

export interface SenderOptions {
  readonly clock: Clock;
  readonly appSecret: string;
  readonly retryDelaysMs: readonly number[];
  /** The webhook at this moment; null while nothing is subscribed, and then nothing is sent. */
  readonly url: (wabaId: string) => string | null;
  readonly onDelivery: (delivery: Delivery) => void;
}

export class WebhookSender {
  readonly #options: SenderOptions;
  #tail: Promise<void> = Promise.resolve();
  readonly #abort = new AbortController();

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  send(post: Post): void {
    const body = JSON.stringify(payloadOf(post));
    this.#tail = this.#tail.then(() => {
      const attempt = this.#attempt(post, body, 1);
      return Promise.race([attempt, new Promise<void>((done) => setTimeout(done, ORDER_WAIT_MS).unref())]);
    });
  }

  close(): void {
    this.#abort.abort();
  }

  async #attempt(post: Post, body: string, attempt: number): Promise<void> {
    const url = this.#options.url(post.events[0]?.wabaId ?? '');
    if (url === null || this.#abort.signal.aborted) return;
    let status: number | null = null;
    let error: string | null = null;
    try {
      const response = await fetch(url, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'content-type': 'application/json', ...this.#signature(post, body) },
        body,
        signal: AbortSignal.any([this.#abort.signal, AbortSignal.timeout(RESPONSE_TIMEOUT_MS)]),
      });
      status = response.status;
      await response.body?.cancel();
    } catch (cause) {
      error = fetchProblem(cause);
    }
    if (this.#abort.signal.aborted) return;
    this.#options.onDelivery({
      kinds: post.events.map(({ kind }) => kind),
      subjects: post.events.map(({ subject }) => subject),
      attempt,
      status,
      error,
      signature: post.signature,
    });
    const delay = this.#options.retryDelaysMs[attempt - 1];
    if (status === 200 || delay === undefined) return;
    this.#options.clock.after(delay, () => void this.#attempt(post, body, attempt + 1));
  }

  #signature({ signature }: Post, body: string): Record<string, string> {
    if (signature === 'absent') return {};
    const secret = signature === 'forged' ? `not ${this.#options.appSecret}` : this.#options.appSecret;
    return { 'x-hub-signature-256': signatureOf(body, secret) };
  }
}
