/** Debian's Kamailio as a stateful proxy for the same calls, for comparison with our gateway. */
import { SipPhone } from '@clarion/test-phone/sip/phone';
import { startKamailio } from '@clarion/testkit/peers/kamailio';
import { callThrough, type PeerCost } from './call-through.ts';

const route = (next: number) => `
  if (has_totag()) {
    if (!loose_route() && !is_method("ACK")) { sl_send_reply("404", "Not Here"); exit; }
    t_relay();
    exit;
  }
  if (is_method("CANCEL")) { if (t_check_trans()) t_relay(); exit; }
  record_route();
  $du = "sip:127.0.0.1:${next}";
  t_relay();`;

/** Sends `calls` whole calls (INVITE, 180, 200, ACK, BYE, 200) through it. */
export async function kamailioCpuPerCall(calls: number, rate: number): Promise<PeerCost> {
  const far = await SipPhone.open({ behaviour: { do: 'answer' } });
  const near = await SipPhone.open();
  try {
    const kamailio = await startKamailio({ route: route(far.port) });
    try {
      return await callThrough(kamailio, near, calls, rate);
    } finally {
      await kamailio.stop();
    }
  } finally {
    near.close();
    far.close();
  }
}
