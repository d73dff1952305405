/**
 * Sends DTMF digits to a carrier one after the other: as telephone events if the remote party supports them, otherwise
 * by SIP INFO. Digits requested before the remote party can receive any are delayed until it can.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { DIGIT_GAP_MS, DIGIT_MS, DIGIT_PAUSE_MS } from '../rtp/dtmf.ts';

/**
 * A leg stays on the local endpoint for this long after a digit. The next digit usually follows soon, and each
 * hand-over starts a new SSRC.
 */
const LOCAL_AFTER_DIGITS_MS = 2_000;

/** Sends one digit in a SIP INFO; resolves with the response of the remote party. */
export type SendInfo = (digit: string, durationMs: number) => Promise<void>;

export interface DtmfSenderOptions {
  /** Whether telephone events were negotiated. */
  supportsEvents: () => boolean;
  /** Sends digits as telephone events; resolves when the last one has been sent. */
  sendEvents: (digits: string) => Promise<void>;
  /** Called when `isSending` or `needsLocalEndpoint` has changed. */
  onChange: () => void;
  log: Logger;
}

export class DtmfSender {
  readonly #options: DtmfSenderOptions;
  readonly #allowed = Promise.withResolvers<void>();
  readonly #closed = new AbortController();
  #lastRequest: Promise<void> = Promise.resolve();
  #queued = 0;
  #sendingEvents = false;
  #lingerTimer: NodeJS.Timeout | null = null;

  constructor(options: DtmfSenderOptions) {
    this.#options = options;
  }

  /** Whether digits are being sent or are queued. */
  get isSending(): boolean {
    return this.#queued > 0;
  }

  /** Whether telephone events are being sent. */
  get sendingEvents(): boolean {
    return this.#sendingEvents;
  }

  /** Only the local endpoint can insert telephone events into the numbering of the stream. */
  get needsLocalEndpoint(): boolean {
    return this.isSending || this.#lingerTimer !== null;
  }

  /** The remote party can receive DTMF from now on: it has answered, or there is early media in both directions. */
  allow(): void {
    this.#allowed.resolve();
  }

  sendDigits(digits: string, sendInfo: SendInfo): Promise<void> {
    this.#queued += 1;
    this.#options.onChange();
    this.#lastRequest = this.#lastRequest
      .then(() => this.#allowed.promise)
      .then(() => this.#sendDigits(digits, sendInfo))
      .catch((error: unknown) => {
        if (!this.#closed.signal.aborted)
          this.#options.log.warn({ err: error }, 'failed to send DTMF digits');
      })
      .finally(() => this.#finished());
    return this.#lastRequest;
  }

  close(): void {
    this.#closed.abort();
    this.#allowed.resolve();
    if (this.#lingerTimer) clearTimeout(this.#lingerTimer);
    this.#lingerTimer = null;
  }

  async #sendDigits(digits: string, sendInfo: SendInfo): Promise<void> {
    if (this.#closed.signal.aborted) return;
    if (!this.#options.supportsEvents()) return sendByInfo(digits, sendInfo, this.#closed.signal);
    this.#sendingEvents = true;
    await this.#options.sendEvents(digits).finally(() => (this.#sendingEvents = false));
  }

  #finished(): void {
    this.#queued -= 1;
    if (this.#lingerTimer) clearTimeout(this.#lingerTimer);
    this.#lingerTimer = null;
    if (this.#closed.signal.aborted) return;
    this.#lingerTimer = setTimeout(() => {
      this.#lingerTimer = null;
      this.#options.onChange();
    }, LOCAL_AFTER_DIGITS_MS);
  }
}

/** Sends each digit after the response to the previous one, with the usual pause. */
async function sendByInfo(digits: string, sendInfo: SendInfo, stop: AbortSignal): Promise<void> {
  for (const digit of digits) {
    if (digit !== ',') await sendInfo(digit.toUpperCase(), DIGIT_MS);
    const pauseMs = digit === ',' ? DIGIT_PAUSE_MS : DIGIT_MS + DIGIT_GAP_MS;
    await pause(pauseMs, undefined, { signal: stop });
  }
}
