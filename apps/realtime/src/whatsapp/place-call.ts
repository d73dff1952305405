/**
 * Calls a customer on WhatsApp: the effect `carrier:dial` of a call on a WhatsApp line. The request is sent at most once, also across
 * crashes, because the customer's phone would ring twice. Its webhooks report what follows (arrivals.ts).
 */
import type { CallMediaCommand } from '@clarion/core/call-machine/effects';
import type { WhatsAppDialPlan } from '@clarion/core/call-machine/state';
import type { GraphSilence } from '@clarion/core/whatsapp-graph/graph-errors';
import { legEndOfRefusal, legEndOfSilence } from '@clarion/core/whatsapp-graph/leg-end';
import { recordRefusedCall } from '@clarion/core/whatsapp/call-permission';
import type { GraphLine } from '@clarion/core/whatsapp/graph-client';
import { opaqueOf } from '@clarion/core/whatsapp/opaque';
import { bindConnected, claimConnect, metaCallOf } from '@clarion/core/whatsapp/whatsapp-call';
import { retryOnConflict } from '@clarion/core/retry-on-conflict';
import { withRetries } from '../lib/retry.ts';
import { resultOf } from '../media/commands.ts';
import type { CommandResult } from '../media/commands.ts';
import type { WhatsAppContext } from './context.ts';
import { endAtMeta } from './end-call.ts';
import { legEnded } from './leg-events.ts';

interface Placing {
  callId: number;
  legId: string;
  dial: WhatsAppDialPlan;
}

/** Returns when the request is about to be sent: its response may take seconds. */
export async function placeCall(
  context: WhatsAppContext,
  { callId, nodeId }: { callId: number; nodeId: string },
  { legId }: Extract<CallMediaCommand, { command: 'carrier:dial' }>,
  dial: WhatsAppDialPlan,
): Promise<CommandResult> {
  const { deps, nodes, graph, background } = context;
  const offered = await nodes.send(nodeId, 'whatsapp:offer', { callId, legId });
  if (offered.kind !== 'ok') return resultOf(offered);
  const { sdpOffer } = offered.reply;
  const line = await graph.lineOf(dial.channelId);
  if (!line) return { kind: 'refused', message: 'The WhatsApp line was deleted or has no access token.' };
  if (!(await claimConnect(deps.db, dial.channelId, callId))) return { kind: 'done' };
  // It may have ended since the effect began. Its release had nothing to end at Meta then.
  if (!(await isLive(context, callId))) return { kind: 'done' };
  background.start('place a WhatsApp call', { callId }, () =>
    connect(context, { callId, legId, dial }, line, sdpOffer),
  );
  return { kind: 'done' };
}

async function connect(
  context: WhatsAppContext,
  placing: Placing,
  line: GraphLine,
  sdpOffer: string,
): Promise<void> {
  const { deps, graph } = context;
  const { callId, dial } = placing;
  const request = { to: dial.address, sdpOffer, opaque: opaqueOf(callId) };
  const result = await graph.request('connect', callId, (client) => client.connect(line, request));
  switch (result.kind) {
    case 'ok':
      return connected(context, placing, result.value);
    case 'refused': {
      const { error } = result;
      await withRetries(() =>
        retryOnConflict(deps.db, (tx) => recordRefusedCall(tx, callId, error, deps.now())),
      ).catch((failure: unknown) =>
        deps.log.warn({ err: failure, callId }, 'failed to record a missing permission'),
      );
      await legEnded(context, placing, legEndOfRefusal(error));
      return;
    }
    case 'silent':
      return unanswered(context, placing, result.silence);
  }
}

/** Meta may have placed the call nevertheless. If its first webhook comes later than this, it is terminated because our call is over. */
async function unanswered(context: WhatsAppContext, placing: Placing, silence: GraphSilence): Promise<void> {
  const { db } = context.deps;
  const bound = await withRetries(() => metaCallOf(db, placing.callId));
  if ((bound?.whatsAppCallId ?? null) === null) await legEnded(context, placing, legEndOfSilence(silence));
}

async function connected(
  context: WhatsAppContext,
  { callId, dial }: Placing,
  whatsAppCallId: string,
): Promise<void> {
  const { db } = context.deps;
  await withRetries(() => bindConnected(db, callId, whatsAppCallId));
  // Our call may have ended while its ID was not known. If it ends later, its release finds the ID.
  if (!(await withRetries(() => isLive(context, callId))))
    await withRetries(() => endAtMeta(context, callId));
  context.onNamed({ channelId: dial.channelId, whatsAppCallId });
}

async function isLive({ deps }: WhatsAppContext, callId: number): Promise<boolean> {
  return (await deps.db.liveCall.count({ where: { callId } })) > 0;
}
