/** The time window of a query, as of the request. */
import { invalidField } from '@clarion/protocol';
import { windowOf } from '@clarion/protocol/v1/fields/window';
import type { Ctx } from './context.ts';

/** @throws 400 naming `from` or `to` */
export function windowAt(
  { now }: Ctx,
  given: { from: Date | null; to: Date | null },
): { from: Date; to: Date } {
  const window = windowOf(given, now);
  if ('field' in window) throw invalidField(window.field, `${window.field} ${window.message}.`);
  return window;
}
