/** What a media node without media does when realtime sends it a command. */
import type { MediaAck, MediaCommand, MediaCommandPayload } from '@clarion/protocol/media';
import type { FakeMedia } from './fake-media.ts';
import { legEndOf, sdpOfFakeLeg, unanswerableOffer } from './fake-legs.ts';

export type Command = {
  [C in MediaCommand]: { command: C; payload: MediaCommandPayload<C> };
}[MediaCommand];

/** Does to the legs of `media` what the command says. */
export function execute(media: FakeMedia, entry: Command): MediaAck<object> | Promise<MediaAck<object>> {
  const unknownLeg = { ok: false, error: { code: 'unknown_leg', message: 'no such leg' } } as const;
  switch (entry.command) {
    case 'agent:connect': {
      const { callId, legId, replaces, as: kind = 'agent' } = entry.payload;
      if (entry.payload.sdpOffer === unanswerableOffer) {
        return { ok: false, error: { code: 'bad_sdp', message: 'not an SDP' } };
      }
      media.legs.set(legId, { callId, legId, kind, state: 'CONNECTING' });
      if (replaces) media.legs.delete(replaces);
      queueMicrotask(() => media.behaviour.onAgentConnect(media, entry.payload));
      return { ok: true, sdpAnswer: `answer to ${entry.payload.sdpOffer}` } as MediaAck<object>;
    }
    case 'carrier:dial': {
      const { callId, legId } = entry.payload;
      if (media.legs.has(legId)) return { ok: true };
      media.legs.set(legId, { callId, legId, kind: 'carrier-out', state: 'NEW' });
      queueMicrotask(() => media.behaviour.onDial(media, entry.payload));
      return { ok: true };
    }
    case 'carrier:answer':
      if (!media.legs.has(entry.payload.legId)) return unknownLeg;
      queueMicrotask(() => media.behaviour.onAnswer(media, entry.payload));
      return { ok: true };
    case 'whatsapp:offer':
    case 'whatsapp:answer':
      return whatsAppLeg(media, entry);
    case 'whatsapp:remote':
      return media.legs.has(entry.payload.legId) ? { ok: true } : unknownLeg;
    case 'whatsapp:open': {
      const leg = media.legs.get(entry.payload.legId);
      if (!leg) return unknownLeg;
      if (leg.state !== 'CONNECTED') queueMicrotask(() => media.behaviour.onOpen(media, entry.payload));
      return { ok: true };
    }
    case 'carrier:reject':
    case 'leg:hangup': {
      const { callId, legId } = entry.payload;
      if (!media.legs.has(legId)) return unknownLeg;
      media.ended(callId, legId, legEndOf('local'));
      return { ok: true };
    }
    case 'call:release':
      for (const { callId, legId } of media.legsOf(entry.payload.callId)) {
        media.ended(callId, legId, legEndOf('local'));
      }
      return { ok: true };
    case 'call:route':
      return media.legsOf(entry.payload.callId).length > 0 ? { ok: true } : unknownLeg;
    case 'leg:dtmf':
      return media.legs.has(entry.payload.legId) ? { ok: true } : unknownLeg;
    case 'trunk:ping':
      return fromCarrier(media.carrier.ping(entry.payload.target));
    case 'trunk:register':
    case 'trunk:unregister': {
      const seconds = entry.command === 'trunk:register' ? entry.payload.expiresSeconds : 0;
      const reply = media.carrier.register(entry.payload.target, seconds);
      return reply instanceof Promise ? reply.then(fromCarrier) : fromCarrier(reply);
    }
    case 'trunk:checkup':
      return fromCarrier(media.carrier.checkup(entry.payload.target));
  }
}

function fromCarrier(reply: object | 'sip down'): MediaAck<object> {
  if (reply !== 'sip down') return { ok: true, ...reply };
  return { ok: false, error: { code: 'capacity', message: 'the SIP server is not connected' } };
}

function whatsAppLeg(
  media: FakeMedia,
  entry: Extract<Command, { command: 'whatsapp:offer' | 'whatsapp:answer' }>,
): MediaAck<object> {
  const { callId, legId } = entry.payload;
  if (entry.command === 'whatsapp:answer' && entry.payload.sdpOffer === unanswerableOffer) {
    return { ok: false, error: { code: 'bad_sdp', message: 'not an SDP' } };
  }
  const kind = entry.command === 'whatsapp:offer' ? 'carrier-out' : 'carrier-in';
  if (!media.legs.has(legId)) media.legs.set(legId, { callId, legId, kind, state: 'NEW' });
  const sdp = sdpOfFakeLeg(entry.command === 'whatsapp:offer' ? 'actpass' : 'active', legId);
  const reply = kind === 'carrier-out' ? { sdpOffer: sdp } : { sdpAnswer: sdp };
  return { ok: true, ...reply };
}
