import type { MediaCommandPayload } from '@clarion/protocol/media';
import type { NodeContext } from '../context.ts';
import { findWhatsAppLeg, openWhatsAppLeg } from '../whatsapp/open-leg.ts';

/** Creates the leg of a customer whom WhatsApp is about to call. Repeated for the same leg, it returns the same offer. */
export async function whatsAppOffer(
  node: NodeContext,
  input: MediaCommandPayload<'whatsapp:offer'>,
): Promise<{ sdpOffer: string }> {
  const leg = findWhatsAppLeg(node, input) ?? (await openWhatsAppLeg(node, input, null));
  return { sdpOffer: leg.description };
}
