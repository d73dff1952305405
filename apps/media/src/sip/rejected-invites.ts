/**
 * INVITEs that were rejected without asking realtime, because it was overloaded. All of them are counted; one at a time is reported for the
 * diagnostics of its trunk, so that reporting adds little to the load.
 */
import type { InviteRequest } from '@clarion/protocol/media';

/** Time between two that are reported. */
const REPORT_INTERVAL_MS = 500;

export class RejectedInvites {
  count = 0;
  readonly #report: (request: InviteRequest) => void;
  readonly #nowMs: () => number;
  #reportedAtMs = -REPORT_INTERVAL_MS;

  /** @param nowMs a monotonic clock */
  constructor(report: (request: InviteRequest) => void, nowMs: () => number = () => performance.now()) {
    this.#report = report;
    this.#nowMs = nowMs;
  }

  note(request: () => InviteRequest): void {
    this.count += 1;
    if (this.#nowMs() - this.#reportedAtMs < REPORT_INTERVAL_MS) return;
    this.#reportedAtMs = this.#nowMs();
    this.#report(request());
  }
}
