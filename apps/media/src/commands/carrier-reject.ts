import type { MediaCommandPayload } from '@clarion/protocol/media';
import { CommandError, type NodeContext } from '../context.ts';
import { InboundCall } from '../sip/inbound.ts';

/** Rejects the pending INVITE. */
export async function carrierReject(
  node: NodeContext,
  input: MediaCommandPayload<'carrier:reject'>,
): Promise<object> {
  const signalling = node.calls.signalling(input.legId);
  if (!signalling || !node.calls.carrier(input.callId, input.legId)) {
    throw new CommandError('unknown_leg', 'unknown carrier leg');
  }
  if (!(signalling instanceof InboundCall) || !signalling.isRinging) {
    throw new CommandError('invalid_state', 'the leg has no INVITE to reject');
  }
  signalling.reject(input.status, input.reason);
  return {};
}
