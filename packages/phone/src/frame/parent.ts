/** The frame's connection to its parent page, which must have an allowed origin. */
import { readReply, type FrameReply, type FrameRequest } from './messages.ts';

/** How long to wait for a reply of the parent. */
const REPLY_TIMEOUT_MS = 15_000;

interface Waiting {
  resolve(reply: FrameReply): void;
  reject(error: Error): void;
  timer: ReturnType<typeof setTimeout>;
}

type RequestWithReply = Extract<FrameRequest, { id: number }>;
type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never;

export class ParentPage {
  readonly #allowed: readonly string[];
  readonly #waiting = new Map<number, Waiting>();
  /** Known immediately, or from the parent's first reply. */
  #origin: string | null;
  #nextId = 1;

  constructor(allowed: readonly string[]) {
    this.#allowed = allowed;
    this.#origin = parentOrigin();
    addEventListener('message', this.#onMessage);
  }

  /** False: there is no parent page, or it may not embed the phone. */
  get mayEmbedPhone(): boolean {
    return parent !== window && (this.#origin === null || this.#allowed.includes(this.#origin));
  }

  post(message: FrameRequest): void {
    if (!this.mayEmbedPhone) return;
    // If the browser does not reveal the parent's origin, send to each allowed origin: only a matching parent receives the message.
    for (const origin of this.#origin === null ? this.#allowed : [this.#origin])
      parent.postMessage(message, origin);
  }

  /** @throws Error with a message for the agent */
  async request(request: WithoutId<RequestWithReply>): Promise<FrameReply> {
    if (!this.mayEmbedPhone) throw new Error('This page cannot show the phone.');
    const id = this.#nextId++;
    const reply = await new Promise<FrameReply>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(id);
        reject(new Error('The page that embeds the phone does not respond. Reload it.'));
      }, REPLY_TIMEOUT_MS);
      this.#waiting.set(id, { resolve, reject, timer });
      this.post({ ...request, id });
    });
    if (reply.type === 'clarion:error') throw new Error(reply.message);
    return reply;
  }

  close(): void {
    removeEventListener('message', this.#onMessage);
    for (const { timer } of this.#waiting.values()) clearTimeout(timer);
    this.#waiting.clear();
  }

  readonly #onMessage = ({ source, origin, data }: MessageEvent<unknown>): void => {
    if (source !== parent || !this.#allowed.includes(origin)) return;
    const reply = readReply(data);
    const waiting = reply && this.#waiting.get(reply.id);
    if (!reply || !waiting) return;
    this.#origin = origin;
    this.#waiting.delete(reply.id);
    clearTimeout(waiting.timer);
    waiting.resolve(reply);
  };
}

/** Null if the browser does not reveal it or the page hides it. */
function parentOrigin(): string | null {
  // Not available in every browser.
  const { ancestorOrigins } = location as { ancestorOrigins?: DOMStringList };
  if (ancestorOrigins?.[0]) return ancestorOrigins[0];
  return document.referrer === '' ? null : new URL(document.referrer).origin;
}
