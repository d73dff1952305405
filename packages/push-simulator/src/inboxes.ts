/** What each device has received. Tests wait for it instead of polling. */

export interface Received {
  readonly provider: 'apns' | 'fcm' | 'onesignal' | 'webpush';
  readonly token: string;
  /** The app's own fields, decoded and decrypted. */
  readonly data: Readonly<Record<string, unknown>>;
  /** The headers of the request. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as the provider understands it. */
  readonly body: unknown;
  /** APNs: the environment. */
  readonly sandbox?: boolean;
}

interface Waiter {
  readonly count: number;
  readonly resolve: (received: readonly Received[]) => void;
}

const DEFAULT_TIMEOUT_MS = 5_000;

export class Inboxes {
  readonly #received = new Map<string, Received[]>();
  readonly #waiters = new Map<string, Set<Waiter>>();

  add(received: Received): void {
    const inbox = [...this.of(received.token), received];
    this.#received.set(received.token, inbox);
    const waiters = this.#waiters.get(received.token) ?? new Set();
    for (const waiter of waiters) {
      if (inbox.length < waiter.count) continue;
      waiters.delete(waiter);
      waiter.resolve(inbox);
    }
  }

  /** Everything that the device has received until now. */
  of(token: string): readonly Received[] {
    return this.#received.get(deviceOf(token)) ?? [];
  }

  /** Resolves as soon as the device has received `count` push notifications, with all of them. */
  async when(token: string, count = 1, timeoutMs = DEFAULT_TIMEOUT_MS): Promise<readonly Received[]> {
    const device = deviceOf(token);
    const inbox = this.of(device);
    if (inbox.length >= count) return inbox;
    return new Promise((resolve, reject) => {
      const waiters = this.#waiters.get(device) ?? new Set();
      this.#waiters.set(device, waiters);
      const timer = setTimeout(() => {
        waiters.delete(waiter);
        reject(new Error(`${device} received ${this.of(device).length} of ${count} push notifications`));
      }, timeoutMs);
      const waiter: Waiter = {
        count,
        resolve: (received) => {
          clearTimeout(timer);
          resolve(received);
        },
      };
      waiters.add(waiter);
    });
  }

  clear(): void {
    this.#received.clear();
  }
}

/** A browser's subscription, which is JSON, is known by its endpoint. */
function deviceOf(token: string): string {
  if (!token.startsWith('{')) return token;
  return (JSON.parse(token) as { endpoint: string }).endpoint;
}
