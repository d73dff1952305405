import type { MediaCommandPayload } from '@clarion/protocol/media';
import { CommandError, type NodeContext } from '../context.ts';
import { localEnd } from '../sip/leg-end.ts';
import { commandErrorOf, getWhatsAppLeg } from '../whatsapp/open-leg.ts';

/** Meta's answer to our offer. Does nothing if the leg already has one. A leg whose answer cannot be used has failed. */
export async function whatsAppRemote(
  node: NodeContext,
  input: MediaCommandPayload<'whatsapp:remote'>,
): Promise<object> {
  const leg = getWhatsAppLeg(node, input);
  if (leg.kind !== 'carrier-out') throw new CommandError('invalid_state', 'the leg has answered an offer');
  if (leg.hasRemote) return {};
  await leg.applyAnswer(input.sdpAnswer).catch((error: unknown) => {
    node.calls.hangup(leg, { end: localEnd('media-error', 'Meta’s answer cannot be used') });
    throw commandErrorOf(error);
  });
  return {};
}
