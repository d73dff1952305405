/** Tells the permission ledger how calls with a customer ended. Everything runs in the caller's transaction. */
import type { Tx } from '@clarion/db';
import { wasAnswered } from '../whatsapp-graph/call-progress.ts';
import type { CallProgress, WhatsAppFact } from '../whatsapp-graph/call-progress.ts';
import type { GraphError } from '../whatsapp-graph/graph-errors.ts';
import type { PermissionEvent } from '../whatsapp-graph/permission.ts';
import { findPermission, recordPermission } from './permission-ledger.ts';

/** Meta's code for a call to a customer who has not allowed calls. */
const NO_PERMISSION = 138006;

/** Reports what the facts of a call say about the permission. `progress`: after these facts, each of which is reported once. */
export async function recordCallFacts(
  tx: Tx,
  callId: number,
  { facts, progress }: { facts: readonly WhatsAppFact[]; progress: CallProgress },
  now: Date,
): Promise<void> {
  const kind = outcomeIn(facts, progress);
  if (kind !== null) await record(tx, callId, { kind, at: now }, now);
}

/** Meta refused to place the call. */
export async function recordRefusedCall(tx: Tx, callId: number, error: GraphError, now: Date): Promise<void> {
  if (error.code === NO_PERMISSION) await record(tx, callId, { kind: 'call-refused', at: now }, now);
}

/** A call that ended before the customer's phone rang, for example because the agent hung up, is not an unanswered one. */
function outcomeIn(
  facts: readonly WhatsAppFact[],
  { direction, ringing, rejected, answered }: CallProgress,
): 'answered' | 'unanswered' | null {
  const ended = facts.find((fact) => fact.kind === 'ended');
  if ((ended && wasAnswered(ended.end)) || facts.some(({ kind }) => kind === 'answered')) return 'answered';
  const wasPlaced = direction === 'BUSINESS_INITIATED' && (ringing || rejected) && !answered;
  return ended && wasPlaced && ended.end.kind !== 'failed' ? 'unanswered' : null;
}

async function record(tx: Tx, callId: number, event: PermissionEvent, now: Date): Promise<void> {
  const call = await tx.call.findUnique({
    where: { id: callId },
    select: {
      customerAddress: true,
      channelId: true,
      channelRef: true,
      tenant: { select: { id: true, ref: true, consumerId: true } },
    },
  });
  // The customer was erased, or the line deleted.
  if (!call || call.customerAddress === null || call.channelId === null) return;
  const customer = { address: call.customerAddress, userId: null };
  // An answered call changes nothing about a customer whom the ledger does not know.
  if (event.kind === 'answered' && !(await findPermission(tx, call.channelId, customer))) return;
  const line = { id: call.channelId, ref: call.channelRef, tenant: call.tenant };
  await recordPermission(tx, line, customer, event, now);
}
