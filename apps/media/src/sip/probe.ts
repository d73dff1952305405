/**
 * Checks with an OPTIONS in the dialog (RFC 3261 §11) whether the far end of a call on hold is still there. No audio shows it
 * then, and a lost BYE would leave the call up for ever.
 */
import type { SipResponse } from './srf.ts';

/** How often a silent call is probed. */
export const PROBE_INTERVAL_MS = 30_000;
/** Failures in a row to reach the far end that end a call: one may be a proxy that restarts. */
const MAX_UNREACHABLE = 2;

export interface ProbeOptions {
  /** Sends the OPTIONS; resolves with its final response, rejects when it cannot be sent. */
  sendOptions: () => Promise<Pick<SipResponse, 'status' | 'source_address'>>;
  intervalMs: number;
  /** False while audio shows that the far end is there. */
  isNeeded: () => boolean;
  onGone: (message: string) => void;
}

export class Probe {
  readonly #options: ProbeOptions;
  #timer: NodeJS.Timeout | null = null;
  #stopped = false;
  #unreachable = 0;

  constructor(options: ProbeOptions) {
    this.#options = options;
    this.#wait();
  }

  stop(): void {
    this.#stopped = true;
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #wait(): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => {
      if (this.#options.isNeeded()) this.#sendOptions();
      else this.#wait();
    }, this.#options.intervalMs);
  }

  #sendOptions(): void {
    this.#options.sendOptions().then(
      (res) => this.#answered(res.status, res.source_address === ''),
      // A broken connection to the SIP server ends the call elsewhere; a dialog that the server does not know is over.
      (error: { code?: string }) =>
        error.code === 'ENODIALOG' ? this.#gone('unknown dialog') : this.#wait(),
    );
  }

  #answered(status: number, invented: boolean): void {
    if (this.#stopped) return;
    this.#unreachable = invented ? this.#unreachable + 1 : 0;
    if (endsCall(status, this.#unreachable)) this.#gone(`OPTIONS in the dialog was answered with ${status}`);
    else this.#wait();
  }

  #gone(why: string): void {
    if (this.#stopped) return;
    this.stop();
    this.#options.onGone(`the remote party is gone: ${why}`);
  }
}

/**
 * 481 and 408 mean that the dialog is over (RFC 5057 §5.1). A 408 that the SIP server generated after 32 s without an answer is a failure to
 * reach the far end like others. Any other answer, even a refusal, proves that the far end is there. `unreachable`: consecutive answers that
 * the far end did not send.
 */
export function endsCall(status: number, unreachable: number): boolean {
  const isGone = status === 481 || (status === 408 && unreachable === 0);
  return isGone || unreachable >= MAX_UNREACHABLE;
}
