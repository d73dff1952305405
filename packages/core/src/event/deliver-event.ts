/**
 * One attempt of one event by itself (docs/requirements.md#events): what the worker does with many at once.
 *
 * At least once: the POST comes first, then one statement records the attempt, moves the event on and puts its job off to the next
 * attempt. A worker killed in between leaves the job as it was, and the same attempt is made again.
 */
import { attemptDelivery } from './attempt-delivery.ts';
import { loadDelivery } from './claim-deliveries.ts';
import type { DeliveryContext, DeliveryOutcome } from './delivery.ts';
import { recordAttempts } from './record-attempts.ts';

export async function deliverEvent(ctx: DeliveryContext, eventId: string): Promise<DeliveryOutcome> {
  const due = await loadDelivery(ctx.sql, eventId);
  if (!due) return 'skipped';
  const attempt = await attemptDelivery(ctx, due);
  const [recorded] = await recordAttempts(ctx.sql, null, [{ due, attempt }]);
  return recorded?.outcome ?? 'skipped';
}
