import type { MediaCommandPayload, MediaReplies } from '@clarion/protocol/media';
import { CommandError, type NodeContext } from '../context.ts';
import type { CustomerLeg } from '../leg/customer-leg.ts';
import { isDtmfDigits } from '../rtp/dtmf.ts';

/** More digits than a person sends at a time. */
const MAX_DIGITS = 64;

/**
 * Sends DTMF digits to a customer's side once it can receive them. Resolves immediately, because sending takes time. Realtime runs an
 * effect at least once, so the command may be repeated.
 */
export async function legDtmf(
  node: NodeContext,
  input: MediaCommandPayload<'leg:dtmf'>,
): Promise<MediaReplies['leg:dtmf']> {
  const leg = node.calls.leg(input.callId, input.legId);
  if (!leg || leg.side === 'agent') throw new CommandError('unknown_leg', 'unknown customer’s leg');
  if (!isDtmfDigits(input.digits) || input.digits.length > MAX_DIGITS) {
    throw new CommandError('invalid_command', 'digits must be 0-9, *, #, A-D, or a comma for a pause');
  }
  if (leg.side === 'whatsapp') {
    if (!leg.sendsEvents) throw new CommandError('invalid_state', 'telephone events were not negotiated');
    if (isRepeated(leg, input)) return { repeated: true };
    void leg.sendDigits(input.digits);
    return {};
  }
  const signalling = node.calls.signalling(input.legId);
  if (!signalling) throw new CommandError('unknown_leg', 'unknown carrier leg');
  if (isRepeated(leg, input)) return { repeated: true };
  void leg.sendDigits(input.digits, (digit, durationMs) => signalling.sendInfo(digit, durationMs));
  return {};
}

const isRepeated = ({ dtmfCommands }: CustomerLeg, { id }: MediaCommandPayload<'leg:dtmf'>): boolean =>
  id !== undefined && !dtmfCommands.add(id);
