import type { MediaCommandPayload } from '@clarion/protocol/media';
import { CommandError, type NodeContext } from '../context.ts';
import { isDtmfDigits } from '../rtp/dtmf.ts';

/** More digits than a person sends at a time. */
const MAX_DIGITS = 64;

/** Sends DTMF digits to a carrier once it can receive them. Resolves immediately, because sending takes time. */
export async function legDtmf(node: NodeContext, input: MediaCommandPayload<'leg:dtmf'>): Promise<object> {
  const leg = node.calls.carrier(input.callId, input.legId);
  const signalling = node.calls.signalling(input.legId);
  if (!leg || !signalling) throw new CommandError('unknown_leg', 'unknown carrier leg');
  if (!isDtmfDigits(input.digits) || input.digits.length > MAX_DIGITS) {
    throw new CommandError('invalid_command', 'digits must be 0-9, *, #, A-D, or a comma for a pause');
  }
  void leg.sendDigits(input.digits, (digit, durationMs) => signalling.sendInfo(digit, durationMs));
  return {};
}
