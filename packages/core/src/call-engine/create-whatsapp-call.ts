/**
 * Makes a call of ours of a customer's call on a WhatsApp line, under the same rules as an INVITE. The row that connects both is locked and
 * bound in the same transaction, so that neither two nodes nor a crash make two calls of one.
 */
import { ApiError, failures } from '@clarion/protocol';
import type { TerminationReason } from '@clarion/protocol';
import type { Channel, Database, Tx } from '@clarion/db';
import { isRoot } from '../context.ts';
import { retryOnConflict } from '../retry-on-conflict.ts';
import { digitsOf } from '../numbers/address-forms.ts';
import { attemptInside } from '../savepoint.ts';
import { bindInbound, lockUnbound } from '../whatsapp/whatsapp-call.ts';
import { admitInboundCall, refusedByAccount } from './admit-inbound.ts';
import type { AdmitContext } from './admit-inbound.ts';
import type { Pending } from './commit.ts';
import type { InboundLine } from './line-route.ts';
import { isReachable } from '../agent/reachable.ts';
import { overflowChain } from './overflow-chain.ts';

/** WhatsApp ends a call that nobody accepts within 30 to 60 s, so the owner of a line is rung for less. */
export const WHATSAPP_RING_MAX_MS = 25_000;

export interface WhatsAppCallContext extends AdmitContext {
  /** An open transaction is joined: the one in which the call's events were taken. */
  db: Database | Tx;
}

export interface WhatsAppArrival {
  channelId: number;
  whatsAppCallId: string;
  /** As stored with calls; null: withheld. */
  customerAddress: string | null;
  /** The profile name. */
  name: string | null;
  mediaNodeId: string;
  carrierLegId: string;
}

/** Why there is no call, or why it ended on arrival. */
export type WhatsAppRefusal = TerminationReason | 'ACCOUNT_SUSPENDED' | 'TOO_MANY_CALLS' | 'LINE_GONE';

export type WhatsAppCallResult =
  | { kind: 'created'; callId: number; pending: Pending | null }
  /** The customer's call has a call of ours already. */
  | { kind: 'known'; callId: number }
  /** The customer's call is to be rejected. `callId` null: it is not recorded. */
  | {
      kind: 'refused';
      reason: WhatsAppRefusal;
      message: string;
      callId: number | null;
      pending: Pending | null;
    };

/** `pending` is run by the caller, after the commit of its own transaction if there is one. */
export const createWhatsAppCall = (
  context: WhatsAppCallContext,
  arrival: WhatsAppArrival,
  now: Date,
): Promise<WhatsAppCallResult> => inOneTransaction(context, (tx) => create(tx, context, arrival, false, now));

/**
 * Records a call that was over before it could ring: the customer hung up first, or its webhook came too late. It is created and ended at
 * once, as cancelled by the customer, and rings nobody.
 */
export const recordMissedWhatsAppCall = (
  context: WhatsAppCallContext,
  arrival: WhatsAppArrival,
  now: Date,
): Promise<WhatsAppCallResult> => inOneTransaction(context, (tx) => create(tx, context, arrival, true, now));

const inOneTransaction = <T>({ db }: WhatsAppCallContext, work: (tx: Tx) => Promise<T>): Promise<T> =>
  isRoot(db) ? retryOnConflict(db, work) : work(db);

async function create(
  tx: Tx,
  context: AdmitContext,
  arrival: WhatsAppArrival,
  hungUp: boolean,
  now: Date,
): Promise<WhatsAppCallResult> {
  const { channelId, whatsAppCallId, customerAddress } = arrival;
  const found = await lockUnbound(tx, { channelId, whatsAppCallId });
  if (found !== null && found.callId !== null) return { kind: 'known', callId: found.callId };
  const line = found === null ? null : await loadLine(tx, channelId);
  if (!line) return unrecorded('LINE_GONE', 'The line was deleted, or the customer was erased.');
  const refusedAccount = refusedByAccount(line);
  if (refusedAccount !== null) return unrecorded('ACCOUNT_SUSPENDED', failures[refusedAccount].text);
  const arriving = {
    caller: { address: customerAddress, addressType: 'WHATSAPP_USER', name: arrival.name },
    sipTrunkId: null,
    number: digitsOf(line.address),
    inviteId: null,
    mediaNodeId: arrival.mediaNodeId,
    carrierLegId: arrival.carrierLegId,
    ...(hungUp && { endsOnArrival: 'hung-up' as const }),
    ringUntil: now.getTime() + WHATSAPP_RING_MAX_MS,
  } as const;
  try {
    const { call, refusal, pending } = await admitInboundCall(tx, context, line, arriving, now, (work) =>
      attemptInside(tx, work),
    );
    await bindInbound(tx, { channelId, whatsAppCallId }, call.id);
    if (!refusal || hungUp) return { kind: 'created', callId: call.id, pending };
    const reason = (call.terminationReason ?? 'REJECTED') as TerminationReason;
    return { kind: 'refused', reason, message: refusal.reason, callId: call.id, pending };
  } catch (error) {
    if (error instanceof ApiError && error.code === 'too_many_calls')
      return unrecorded('TOO_MANY_CALLS', failures.concurrent_call_limit.text);
    throw error;
  }
}

const unrecorded = (reason: WhatsAppRefusal, message: string): WhatsAppCallResult => ({
  kind: 'refused',
  reason,
  message,
  callId: null,
  pending: null,
});

/** The line as `load_lines` returns a SIP line. */
async function loadLine(tx: Tx, channelId: number): Promise<(InboundLine & Pick<Channel, 'address'>) | null> {
  const line = await tx.channel.findUnique({
    where: { id: channelId, type: 'WHATSAPP' },
    include: { tenant: { include: { consumer: true } } },
  });
  if (!line) return null;
  const owner =
    line.ownerAgentId === null
      ? null
      : await tx.agent.findUnique({
          where: { id: line.ownerAgentId },
          include: { _count: { select: { connections: true } } },
        });
  const flows = await tx.ivrFlow.findMany({
    where: { channelId, status: 'ACTIVE' },
    select: { id: true, triggerCondition: true },
  });
  return {
    ...line,
    owner: owner && {
      id: owner.id,
      ref: owner.ref,
      doNotDisturb: owner.doNotDisturb,
      canRing: owner.deletedAt === null && isReachable(owner),
    },
    flows,
    stops: line.inboundQueueId === null ? [] : await overflowChain(tx, line.inboundQueueId),
  };
}
