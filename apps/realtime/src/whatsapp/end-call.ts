/**
 * Ends calls at Meta. A customer's call that was never accepted is rejected; any other is terminated, also while the accept request is
 * pending, because Meta may have accepted it. Meta ends a call that it cannot be told to end by itself, for lack of audio.
 */
import { claimEnd } from '@clarion/core/whatsapp/whatsapp-call';
import type { MetaCall } from '@clarion/core/whatsapp/whatsapp-call';
import type { WhatsAppContext } from './context.ts';

/** Nothing happens if the call is over at Meta, is being ended, or has no ID yet: `placeCall` ends it when it gets one. */
export async function endAtMeta(context: WhatsAppContext, callId: number): Promise<void> {
  const { db, now } = context.deps;
  const call = await claimEnd(db, callId, now());
  if (!call || call.whatsAppCallId === null) return;
  const { channelId, whatsAppCallId, direction, accept } = call;
  const isRejected = direction === 'USER_INITIATED' && accept === 'none';
  requestEnd(context, callId, { channelId, whatsAppCallId }, isRejected ? 'reject' : 'terminate');
}

/** A customer's call that became no call of ours, or one that ended on arrival. */
export function rejectAtMeta(context: WhatsAppContext, callId: number | null, call: MetaCall): void {
  requestEnd(context, callId, call, 'reject');
}

function requestEnd(
  { graph, background }: WhatsAppContext,
  callId: number | null,
  { channelId, whatsAppCallId }: MetaCall,
  action: 'reject' | 'terminate',
): void {
  background.start('end a WhatsApp call', { callId, channelId }, async () => {
    const line = await graph.lineOf(channelId);
    if (line) await graph.request(action, callId, (client) => client[action](line, whatsAppCallId));
  });
}
