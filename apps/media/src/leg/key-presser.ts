/**
 * Sends keys to a carrier, one after the other: as telephone events where the far end supports them, else by SIP INFO. Keys
 * pressed before the far end can receive any wait until it can.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { DIGIT_GAP_MS, DIGIT_MS, DIGIT_PAUSE_MS } from '../rtp/dtmf.ts';

/** A leg stays held this long after a key: the next one usually follows soon, and each hand-over starts a new SSRC. */
const KEY_LINGER_MS = 2_000;

/** Sends one key in a SIP INFO; resolves with the far end's answer. */
export type SendInfo = (digit: string, durationMs: number) => Promise<void>;

export interface KeyPresserOptions {
  /** Telephone events were negotiated. */
  takesEvents: () => boolean;
  /** Sends keys as telephone events; resolves when the last one has been sent. */
  pressEvents: (digits: string) => Promise<void>;
  /** Something has changed in `pressing` or `holdsLeg`. */
  onChange: () => void;
  log: Logger;
}

export class KeyPresser {
  readonly #options: KeyPresserOptions;
  readonly #allowed = Promise.withResolvers<void>();
  readonly #over = new AbortController();
  #turn: Promise<void> = Promise.resolve();
  #pressing = 0;
  #sounding = false;
  #lingering: NodeJS.Timeout | null = null;

  constructor(options: KeyPresserOptions) {
    this.#options = options;
  }

  /** Keys are being sent, or wait to be. */
  get pressing(): boolean {
    return this.#pressing > 0;
  }

  /** Telephone events are being sent. */
  get sounding(): boolean {
    return this.#sounding;
  }

  /** Only our own endpoint can insert keys into the numbering of the stream. */
  get holdsLeg(): boolean {
    return this.pressing || this.#lingering !== null;
  }

  /** The far end can receive keys from now on: it has answered, or there is early media in both directions. */
  allow(): void {
    this.#allowed.resolve();
  }

  press(digits: string, sendInfo: SendInfo): Promise<void> {
    this.#pressing += 1;
    this.#options.onChange();
    this.#turn = this.#turn
      .then(() => this.#allowed.promise)
      .then(() => this.#press(digits, sendInfo))
      .catch((error: unknown) => {
        if (!this.#over.signal.aborted) this.#options.log.warn({ err: error }, 'failed to send DTMF digits');
      })
      .finally(() => this.#pressed());
    return this.#turn;
  }

  close(): void {
    this.#over.abort();
    this.#allowed.resolve();
    if (this.#lingering) clearTimeout(this.#lingering);
    this.#lingering = null;
  }

  async #press(digits: string, sendInfo: SendInfo): Promise<void> {
    if (this.#over.signal.aborted) return;
    if (!this.#options.takesEvents()) return pressByInfo(digits, sendInfo, this.#over.signal);
    this.#sounding = true;
    await this.#options.pressEvents(digits).finally(() => (this.#sounding = false));
  }

  #pressed(): void {
    this.#pressing -= 1;
    if (this.#lingering) clearTimeout(this.#lingering);
    this.#lingering = null;
    if (this.#over.signal.aborted) return;
    this.#lingering = setTimeout(() => {
      this.#lingering = null;
      this.#options.onChange();
    }, KEY_LINGER_MS);
  }
}

/** Sends each key after the far end has answered the previous one, with the usual pause. */
async function pressByInfo(digits: string, sendInfo: SendInfo, stop: AbortSignal): Promise<void> {
  for (const digit of digits) {
    if (digit !== ',') await sendInfo(digit.toUpperCase(), DIGIT_MS);
    const pauseMs = digit === ',' ? DIGIT_PAUSE_MS : DIGIT_MS + DIGIT_GAP_MS;
    await pause(pauseMs, undefined, { signal: stop });
  }
}
