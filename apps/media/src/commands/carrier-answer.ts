import type { MediaCommandPayload } from '@clarion/protocol/media';
import { CommandError, type NodeContext } from '../context.ts';
import { InboundCall } from '../sip/inbound.ts';

/** Answers the pending INVITE with 200. Does nothing if the leg is already answered. */
export async function carrierAnswer(
  node: NodeContext,
  input: MediaCommandPayload<'carrier:answer'>,
): Promise<object> {
  const leg = node.calls.carrier(input.callId, input.legId);
  if (!leg) throw new CommandError('unknown_leg', 'unknown carrier leg');
  const signalling = node.calls.signalling(leg.legId);
  if (!(signalling instanceof InboundCall))
    throw new CommandError('invalid_state', 'the leg is not an inbound leg');
  await signalling.answer();
  return {};
}
