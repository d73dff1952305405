/** Faults of the Graph API itself: which request gets which. Pure. */
import type { GraphErrorCode } from '../protocol/errors.ts';

export type GraphFaultEffect =
  /** A documented error in place of the result. */
  | { readonly kind: 'error'; readonly code: GraphErrorCode }
  /** Any status and body, as of a proxy in front of Meta. */
  | { readonly kind: 'http'; readonly status: number; readonly body: string }
  | { readonly kind: 'slow'; readonly delayMs: number }
  /** The request is not carried out and never answered. */
  | { readonly kind: 'timeout' }
  /** The request is carried out, and the connection is closed without a response. */
  | { readonly kind: 'lost_response' }
  /** The request is carried out, and the response is cut in the middle of the JSON. */
  | { readonly kind: 'malformed' };

export type GraphFault = GraphFaultEffect & {
  /** An action of `/calls`, or the last part of a path (`messages`, `settings`); `all` is every request. */
  readonly on: string;
  /** Only requests to this business number; absent: to any. */
  readonly phoneNumberId?: string;
  /** How many more requests it affects; null is all. */
  readonly times: number | null;
};

/** The first fault for this request, and the faults that remain. */
export function takeFault(
  faults: readonly GraphFault[],
  operation: string,
  phoneNumberId: string | undefined,
): { fault: GraphFault | null; rest: readonly GraphFault[] } {
  const fault =
    faults.find(
      (each) =>
        (each.on === 'all' || each.on === operation) &&
        (each.phoneNumberId === undefined || each.phoneNumberId === phoneNumberId),
    ) ?? null;
  const rest = faults.flatMap((each) => {
    if (each !== fault || each.times === null) return [each];
    return each.times > 1 ? [{ ...each, times: each.times - 1 }] : [];
  });
  return { fault, rest };
}
