/** The SDP offer of a customer's call, as its webhook contained it. */
import type { Tx } from '@clarion/db';
import { storedWhatsAppCall } from '@clarion/protocol/v1/tenant/whatsapp';
import type { MetaCall } from './whatsapp-call.ts';

/** Null: the event was erased. */
export async function customerOffer(tx: Tx, { channelId, whatsAppCallId }: MetaCall): Promise<string | null> {
  const events = await tx.whatsAppEvent.findMany({
    where: { channelId, whatsAppCallId, type: 'connect' },
    select: { payload: true },
    orderBy: { id: 'asc' },
  });
  for (const { payload } of events) {
    const sdp = storedWhatsAppCall.safeParse(payload).data?.sdp;
    if (sdp?.type === 'offer') return sdp.text;
  }
  return null;
}
