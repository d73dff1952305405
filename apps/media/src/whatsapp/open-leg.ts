/** Creates WhatsApp legs for the commands. */
import type { LegEnd, MediaCommandPayload } from '@clarion/protocol/media';
import {
  acquirePort,
  CommandError,
  maySendTo,
  reportConnected,
  reportDigit,
  reportPlayed,
  type NodeContext,
} from '../context.ts';
import { IceFailure } from '../ice/ice-bridge.ts';
import { DescriptionError } from '../ice/ice-sdp.ts';
import type { CallMedia } from '../route/call-media.ts';
import { WhatsAppLeg } from './whatsapp-leg.ts';

/** Returns the WhatsApp leg with this ID, if it exists. Throws CommandError `invalid_state` for another kind of leg. */
export function findWhatsAppLeg(
  node: NodeContext,
  { callId, legId }: MediaCommandPayload<'whatsapp:open'>,
): WhatsAppLeg | null {
  const leg = node.calls.leg(callId, legId);
  if (leg && leg.side !== 'whatsapp')
    throw new CommandError('invalid_state', 'the leg is not a WhatsApp leg');
  return leg ?? null;
}

export function getWhatsAppLeg(node: NodeContext, input: MediaCommandPayload<'whatsapp:open'>): WhatsAppLeg {
  const leg = findWhatsAppLeg(node, input);
  if (!leg) throw new CommandError('unknown_leg', 'unknown WhatsApp leg');
  return leg;
}

/**
 * Creates a WhatsApp leg and adds it to its call. Throws CommandError.
 *
 * @param sdpOffer Meta's; null if the offer is ours
 */
export function openWhatsAppLeg(
  node: NodeContext,
  { callId, legId }: MediaCommandPayload<'whatsapp:offer'>,
  sdpOffer: string | null,
): Promise<WhatsAppLeg> {
  return node.calls.withCall(callId, async (call) => {
    const port = await acquirePort(node);
    const leg = await create(node, call, { legId, port, sdpOffer }).catch((error: unknown) => {
      node.ports.release(port);
      throw commandErrorOf(error);
    });
    node.calls.add(call, leg);
    return leg;
  });
}

/** A description that cannot be used is the sender's error. */
export function commandErrorOf(error: unknown): unknown {
  return error instanceof DescriptionError || error instanceof IceFailure
    ? new CommandError('bad_sdp', error.message)
    : error;
}

async function create(
  node: NodeContext,
  call: CallMedia,
  { legId, port, sdpOffer }: { legId: string; port: number; sdpOffer: string | null },
): Promise<WhatsAppLeg> {
  const { callId } = call;
  const options = {
    callId,
    legId,
    port,
    media: call.media,
    ticker: node.ticker,
    clips: node.clips,
    bindAddress: node.bindAddress,
    publicAddress: node.publicAddress,
    maySendTo: maySendTo(node),
    timing: node.whatsAppTiming,
    log: node.log,
    onPlayed: reportPlayed(node, callId, legId),
    onDigit: reportDigit(node, callId, legId),
    onConnected: () => {
      call.changed();
      reportConnected(node, leg);
    },
    onEnd: (end: LegEnd) => node.calls.end(leg, end),
  };
  const leg: WhatsAppLeg =
    sdpOffer === null ? await WhatsAppLeg.offer(options) : await WhatsAppLeg.answer(options, sdpOffer);
  return leg;
}
