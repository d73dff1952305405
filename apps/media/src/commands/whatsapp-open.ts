import type { MediaCommandPayload } from '@clarion/protocol/media';
import type { NodeContext } from '../context.ts';
import { getWhatsAppLeg } from '../whatsapp/open-leg.ts';

/** The call was accepted: audio may pass. Does nothing if the leg is already open. */
export async function whatsAppOpen(
  node: NodeContext,
  input: MediaCommandPayload<'whatsapp:open'>,
): Promise<object> {
  getWhatsAppLeg(node, input).open();
  return {};
}
