/** Runs the media effects of calls on WhatsApp lines. What concerns the customer's leg is also requested from Meta. */
import type { CallMediaCommand } from '@clarion/core/call-machine/effects';
import { isWhatsAppPlan } from '@clarion/core/call-machine/state';
import { sendMediaCommand } from '../media/commands.ts';
import type { CommandResult, StoredTarget } from '../media/commands.ts';
import { acceptCall } from './answer-call.ts';
import type { WhatsAppContext } from './context.ts';
import { endAtMeta } from './end-call.ts';
import { placeCall } from './place-call.ts';

export async function runWhatsAppCommand(
  context: WhatsAppContext,
  target: StoredTarget,
  order: CallMediaCommand,
  recordingKey: string | null,
): Promise<CommandResult> {
  const { callId, nodeId } = target;
  const send = () => sendMediaCommand(context.deps, context.nodes, target, order, recordingKey);
  switch (order.command) {
    case 'carrier:dial':
      return isWhatsAppPlan(order.dial) ? placeCall(context, { callId, nodeId }, order, order.dial) : send();
    case 'carrier:answer':
      return acceptCall(context, { callId, nodeId, legId: order.legId });
    case 'call:release':
      // Also if the media node cannot be reached.
      await endAtMeta(context, callId);
      return send();
    default:
      return send();
  }
}
