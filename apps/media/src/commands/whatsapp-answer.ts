import type { MediaCommandPayload } from '@clarion/protocol/media';
import type { NodeContext } from '../context.ts';
import { findWhatsAppLeg, openWhatsAppLeg } from '../whatsapp/open-leg.ts';

/** Creates the leg of a customer who calls. Repeated for the same leg, it returns the same answer. */
export async function whatsAppAnswer(
  node: NodeContext,
  input: MediaCommandPayload<'whatsapp:answer'>,
): Promise<{ sdpAnswer: string }> {
  const leg = findWhatsAppLeg(node, input) ?? (await openWhatsAppLeg(node, input, input.sdpOffer));
  return { sdpAnswer: leg.description };
}
