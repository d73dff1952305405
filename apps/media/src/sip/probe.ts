/**
 * Checks with OPTIONS in the dialog (RFC 3261 §11) whether the remote party of a call on hold is still there. There is
 * no audio then, and after a lost BYE the call would never end.
 */
import type { SipResponse } from './srf.ts';

/** How often a call without audio is probed. */
export const PROBE_INTERVAL_MS = 30_000;
/**
 * The number of consecutive failures to reach the remote party that end a call: a single one may be a proxy that
 * restarts.
 */
const MAX_UNREACHABLE = 2;

export interface ProbeOptions {
  /** Sends the OPTIONS; resolves with its final response, rejects if it cannot be sent. */
  sendOptions: () => Promise<Pick<SipResponse, 'status' | 'source_address'>>;
  intervalMs: number;
  /** False while audio shows that the remote party is there. */
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
      // The loss of the connection to the SIP server is handled elsewhere; a dialog that the server does not have has
      // ended.
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
 * 481 and 408 mean that the dialog has ended (RFC 5057 §5.1). A 408 that the SIP server generated after 32 s without a
 * response is a failure to reach the remote party. Any other response, even a rejection, proves that the remote party
 * is there. `unreachable`: consecutive responses that the remote party did not send.
 */
export function endsCall(status: number, unreachable: number): boolean {
  const isGone = status === 481 || (status === 408 && unreachable === 0);
  return isGone || unreachable >= MAX_UNREACHABLE;
}
