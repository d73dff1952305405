/**
 * Connects two SIP dialogs to one call (a back-to-back user agent, RFC 3261, section 6). The SDP is passed through, so that audio and keys
 * go directly from end to end.
 */
import type { SipCall } from '@clarion/test-phone/sip/call';
import type { SipPhone } from '@clarion/test-phone/sip/phone';

/** Longer than any call. The caller hangs up before. */
const AS_LONG_AS_IT_TAKES_MS = 2 ** 31 - 1;
const UNREACHABLE = { status: 480, reason: 'Temporarily Unavailable' };

/** Forwards `incoming` to a server; resolves when both sides have ended. The phone must not respond to its INVITE itself. */
export async function bridge(
  phone: SipPhone,
  incoming: SipCall,
  server: { host: string; port: number },
): Promise<void> {
  const outgoing = await phone.call(incoming.called, server, {
    from: incoming.caller,
    sdp: incoming.remoteSdp,
  });
  const toTag = incoming.localTag;
  outgoing.rings(AS_LONG_AS_IT_TAKES_MS).then(
    () => {
      if (incoming.state !== 'calling' || outgoing.state !== 'ringing') return;
      phone.respond(incoming.invite, 180, 'Ringing', { toTag });
      incoming.markRinging();
    },
    () => undefined, // the end is handled below
  );
  outgoing.answered(AS_LONG_AS_IT_TAKES_MS).then(
    () => {
      if (incoming.state === 'ended') return;
      phone.respond(incoming.invite, 200, 'OK', { toTag, sdp: outgoing.remoteSdp });
      incoming.markAnswered();
    },
    () => undefined,
  );
  const incomingEnds = incoming
    .ended(AS_LONG_AS_IT_TAKES_MS)
    .then(() => outgoing.hangUp())
    .catch(() => undefined); // it has already ended
  const outgoingEnds = outgoing
    .ended(AS_LONG_AS_IT_TAKES_MS)
    .then(async ({ status, reason, q850 }) => {
      if (incoming.state === 'answered') return incoming.hangUp();
      const said = status !== null && status >= 400 ? { status, reason: reason ?? '' } : UNREACHABLE;
      incoming.refuse(said.status, said.reason, q850);
    })
    .catch(() => undefined);
  await Promise.all([incomingEnds, outgoingEnds]);
  phone.forget(outgoing);
  phone.forget(incoming);
}
