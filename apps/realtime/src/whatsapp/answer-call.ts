/**
 * Accepts a customer's call at Meta: the effect `carrier:answer` of a call on a WhatsApp line. The request is sent at most once. Audio is
 * sent only after Meta has confirmed it, because Meta takes earlier audio for an error.
 */
import { storePending } from '@clarion/core/call-engine/outbox';
import { retryOnConflict } from '@clarion/core/retry-on-conflict';
import { legEndOfRefusal, legEndOfSilence } from '@clarion/core/whatsapp-graph/leg-end';
import { customerOffer } from '@clarion/core/whatsapp/customer-offer';
import type { GraphLine } from '@clarion/core/whatsapp/graph-client';
import { claimAccept, markAccepted, metaCallOf } from '@clarion/core/whatsapp/whatsapp-call';
import type { MetaCall } from '@clarion/core/whatsapp/whatsapp-call';
import { setTimeout as sleep } from 'node:timers/promises';
import { withRetries } from '../lib/retry.ts';
import { resultOf } from '../media/commands.ts';
import type { CommandResult } from '../media/commands.ts';
import type { SendResult } from '../media/nodes.ts';
import type { WhatsAppContext } from './context.ts';
import { legEnded } from './leg-events.ts';

/** How long the webhook that says why Meta refuses to accept a call, usually because the customer hung up, may be in transit. */
const REFUSAL_SETTLE_MS = 2_000;

export interface CustomerLeg {
  callId: number;
  legId: string;
  nodeId: string;
}

/** Creates the customer's leg at media. Repeated, media returns the same answer. */
export const answerOffer = (
  { nodes }: Pick<WhatsAppContext, 'nodes'>,
  { callId, legId, nodeId }: CustomerLeg,
  sdpOffer: string,
): Promise<SendResult<{ sdpAnswer: string }>> =>
  nodes.send(nodeId, 'whatsapp:answer', { callId, legId, sdpOffer });

/** Returns when the request is about to be sent: its response may take seconds. */
export async function acceptCall(context: WhatsAppContext, leg: CustomerLeg): Promise<CommandResult> {
  const { deps, nodes, graph, background } = context;
  const { callId, legId, nodeId } = leg;
  const bound = await metaCallOf(deps.db, callId);
  if (!bound || bound.whatsAppCallId === null || bound.isOver) return { kind: 'done' };
  // A process that died after the confirmation has not told media.
  if (bound.accept === 'accepted')
    return resultOf(await nodes.send(nodeId, 'whatsapp:open', { callId, legId }));
  const call = { channelId: bound.channelId, whatsAppCallId: bound.whatsAppCallId };
  const sdpOffer = await customerOffer(deps.db, call);
  const line = await graph.lineOf(call.channelId);
  if (sdpOffer === null || !line) {
    return { kind: 'refused', message: 'The WhatsApp line was deleted or has no access token.' };
  }
  const answered = await answerOffer(context, leg, sdpOffer);
  if (answered.kind !== 'ok') return resultOf(answered);
  if (!(await claimAccept(deps.db, callId, deps.now()))) return { kind: 'done' };
  const { sdpAnswer } = answered.reply;
  background.start('accept a WhatsApp call', { callId }, () =>
    accept(context, leg, { call, line, sdpAnswer }),
  );
  return { kind: 'done' };
}

interface Acceptance {
  call: MetaCall;
  line: GraphLine;
  sdpAnswer: string;
}

async function accept(
  context: WhatsAppContext,
  leg: CustomerLeg,
  { call, line, sdpAnswer }: Acceptance,
): Promise<void> {
  const { graph } = context;
  const { whatsAppCallId } = call;
  const result = await graph.request('accept', leg.callId, (client) =>
    client.accept(line, whatsAppCallId, sdpAnswer),
  );
  switch (result.kind) {
    case 'ok':
      return accepted(context, leg);
    case 'refused':
      await sleep(REFUSAL_SETTLE_MS);
      await legEnded(context, leg, legEndOfRefusal(result.error));
      return;
    case 'silent':
      await legEnded(context, leg, legEndOfSilence(result.silence));
  }
}

async function accepted(
  { deps, engine }: WhatsAppContext,
  { callId, legId, nodeId }: CustomerLeg,
): Promise<void> {
  const { db, now } = deps;
  const open = { kind: 'media', mediaNodeId: nodeId, order: { command: 'whatsapp:open', legId } } as const;
  const pending = await withRetries(() =>
    retryOnConflict(db, async (tx) => {
      await markAccepted(tx, callId, now());
      return storePending(tx, { callId, effects: [open], channelType: 'WHATSAPP' }, now());
    }),
  );
  engine.run(pending);
}

/** Starts the audio path of a call that rings, so that it is ready when the agent accepts. The call continues without it if it fails. */
export function preAccept(context: WhatsAppContext, callId: number, call: MetaCall, sdpAnswer: string): void {
  const { graph, background } = context;
  const { channelId, whatsAppCallId } = call;
  background.start('prepare a WhatsApp call', { callId }, async () => {
    const line = await graph.lineOf(channelId);
    if (line)
      await graph.request('preAccept', callId, (client) => client.preAccept(line, whatsAppCallId, sdpAnswer));
  });
}
