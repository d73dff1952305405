/** What happened, for subscribers and for the log of the command line: the last entries are kept. */
import type { Clock } from '../clock.ts';
import type { PageStep } from '../media/customer-media.ts';
import type { Delivery } from '../webhooks/sender.ts';
import type { EventKind } from '../webhooks/schedule.ts';
import type { CallView } from './call.ts';

const KEPT_ENTRIES = 1000;

export type Happening =
  | { readonly type: 'call'; readonly call: CallView }
  | {
      readonly type: 'media';
      readonly callId: string;
      readonly step: PageStep;
      readonly sdp: string | null;
    }
  | { readonly type: 'digit'; readonly callId: string; readonly digit: string }
  | { readonly type: 'violation'; readonly callId: string; readonly text: string }
  | { readonly type: 'webhook'; readonly kind: EventKind; readonly subject: string }
  | { readonly type: 'delivery'; readonly delivery: Delivery }
  | { readonly type: 'permission_request'; readonly customer: string; readonly text: string }
  | { readonly type: 'permission'; readonly customer: string; readonly status: string }
  | { readonly type: 'reconsider_prompt'; readonly customer: string }
  | {
      readonly type: 'request';
      readonly method: string;
      readonly path: string;
      readonly action: string | null;
      /** The call or the customer that the request names. */
      readonly subject: string | null;
      readonly status: number;
      readonly errorCode: number | null;
    };

export type JournalEntry = Happening & { readonly seq: number; readonly at: string };

export class Journal {
  readonly #clock: Clock;
  #entries: JournalEntry[] = [];
  #seq = 0;
  readonly #listeners = new Set<(entry: JournalEntry) => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get entries(): readonly JournalEntry[] {
    return this.#entries;
  }

  record(happening: Happening): void {
    this.#seq += 1;
    const entry = { ...happening, seq: this.#seq, at: new Date(this.#clock.now()).toISOString() };
    this.#entries = [...this.#entries.slice(1 - KEPT_ENTRIES), entry];
    for (const listener of this.#listeners) listener(entry);
  }

  /** Returns a function that ends the subscription. */
  subscribe(listener: (entry: JournalEntry) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** The first entry that matches, of those that exist and those to come. */
  async when<T extends JournalEntry>(
    matches: (entry: JournalEntry) => entry is T,
    timeoutMs: number,
  ): Promise<T>;
  async when(matches: (entry: JournalEntry) => boolean, timeoutMs: number): Promise<JournalEntry>;
  async when(matches: (entry: JournalEntry) => boolean, timeoutMs: number): Promise<JournalEntry> {
    const found = this.#entries.find(matches);
    if (found) return found;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        end();
        reject(new Error(`nothing of that kind happened within ${timeoutMs} ms`));
      }, timeoutMs);
      const end = this.subscribe((entry) => {
        if (!matches(entry)) return;
        clearTimeout(timer);
        end();
        resolve(entry);
      });
    });
  }
}
