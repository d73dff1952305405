/**
 * Two SIP dialogs as one call (a back-to-back user agent, RFC 3261, section 6): what the one side does, the other is told. The SDP is
 * passed through, so that audio and keys go from end to end and touch no one between them.
 */
import type { SipCall } from '@clarion/test-phone/sip/call';
import type { SipPhone } from '@clarion/test-phone/sip/phone';

/** Longer than any call: whoever places it gives up first. */
const AS_LONG_AS_IT_TAKES_MS = 2 ** 31 - 1;
const UNREACHABLE = { status: 480, reason: 'Temporarily Unavailable' };

/** Places `incoming` onwards to a server; resolves when both sides have ended. The phone must leave its INVITE to us. */
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
    () => undefined, // its end is dealt with below
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
    .catch(() => undefined); // nobody is there to hang up on
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
