/**
 * Whether messages about a call may be made from what a step wrote, without reading it again: only right after the commit and while this
 * node has committed no later step. Otherwise an app could receive an older state after a newer one.
 */
import type { CallAfterStep, Pending } from '@clarion/core/call-engine/commit';

/** Reading the rows of a call takes about as long on a busy database. */
const CURRENT_FOR_MS = 250;

export class LatestSteps {
  readonly #latest = new Map<number, Pending>();

  /** The step was committed just now. @returns the call as the step left it; null once that must be read */
  committed(pending: Pending): () => CallAfterStep | null {
    const { callId } = pending;
    const until = performance.now() + CURRENT_FOR_MS;
    this.#latest.set(callId, pending);
    return () => (this.#latest.get(callId) === pending && performance.now() < until ? pending.after : null);
  }

  /** The effects of the step have run. */
  done(pending: Pending): void {
    if (this.#latest.get(pending.callId) === pending) this.#latest.delete(pending.callId);
  }
}
