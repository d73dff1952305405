/** The page around the frame, as the frame sees it: of one allowed origin, or silent. */
import { readAnswer, type FrameAnswer, type FrameRequest } from './messages.ts';

/** A parent that has not answered by then will not. */
const ANSWER_TIMEOUT_MS = 15_000;

interface Waiting {
  resolve(answer: FrameAnswer): void;
  reject(error: Error): void;
  timer: ReturnType<typeof setTimeout>;
}

type Question = Extract<FrameRequest, { id: number }>;
type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never;

export class ParentPage {
  readonly #allowed: readonly string[];
  readonly #waiting = new Map<number, Waiting>();
  /** Known at once, or from the parent's first answer. */
  #origin: string | null;
  #nextId = 1;

  constructor(allowed: readonly string[]) {
    this.#allowed = allowed;
    this.#origin = originAround();
    addEventListener('message', this.#onMessage);
  }

  /** False: the page around this one may not have the phone, or there is none. */
  get mayHavePhone(): boolean {
    return parent !== window && (this.#origin === null || this.#allowed.includes(this.#origin));
  }

  tell(message: FrameRequest): void {
    if (!this.mayHavePhone) return;
    // A browser that does not say where the frame stands delivers to the origin that it is, and to no other.
    for (const origin of this.#origin === null ? this.#allowed : [this.#origin])
      parent.postMessage(message, origin);
  }

  /** @throws Error with a sentence for the agent */
  async ask(question: WithoutId<Question>): Promise<FrameAnswer> {
    if (!this.mayHavePhone) throw new Error('This page cannot show the phone.');
    const id = this.#nextId++;
    const answer = await new Promise<FrameAnswer>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(id);
        reject(new Error('The page that embeds the phone does not respond. Reload it.'));
      }, ANSWER_TIMEOUT_MS);
      this.#waiting.set(id, { resolve, reject, timer });
      this.tell({ ...question, id });
    });
    if (answer.type === 'clarion:error') throw new Error(answer.message);
    return answer;
  }

  close(): void {
    removeEventListener('message', this.#onMessage);
    for (const { timer } of this.#waiting.values()) clearTimeout(timer);
    this.#waiting.clear();
  }

  readonly #onMessage = ({ source, origin, data }: MessageEvent<unknown>): void => {
    if (source !== parent || !this.#allowed.includes(origin)) return;
    const answer = readAnswer(data);
    const waiting = answer && this.#waiting.get(answer.id);
    if (!answer || !waiting) return;
    this.#origin = origin;
    this.#waiting.delete(answer.id);
    clearTimeout(waiting.timer);
    waiting.resolve(answer);
  };
}

/** Null where the browser does not say, or the page hides it. */
function originAround(): string | null {
  // Not in every browser.
  const { ancestorOrigins } = location as { ancestorOrigins?: DOMStringList };
  if (ancestorOrigins?.[0]) return ancestorOrigins[0];
  return document.referrer === '' ? null : new URL(document.referrer).origin;
}
