/** What commands and inbound calls work with: the parts of a running node. */
import type { MediaErrorCode, MediaFact, MediaFactPayload } from '@clarion/protocol/media';
import type { Logger } from 'pino';
import type { Calls } from './calls.ts';
import { CarrierLeg } from './leg/carrier-leg.ts';
import type { ClipCache } from './mix/clip-cache.ts';
import type { CallMedia } from './route/call-media.ts';
import { PortsExhausted, type PortAllocator } from './ports.ts';
import type { Recorder } from './record/recorder.ts';
import { isPublicAddress } from './rtp/public-address.ts';
import type { Ticker } from './rtp/ticker.ts';
import type { LocalMedia } from './sdp/carrier.ts';
import type { SrfClient } from './sip/srf.ts';
import type { KeyedMutex } from './keyed-mutex.ts';

export interface NodeContext {
  bindAddress: string;
  /** Named in SDP. */
  publicAddress: string;
  /** Audio may be sent to private addresses announced in SDP (`CLARION_ALLOW_PRIVATE_EGRESS`). */
  allowPrivateAddresses: boolean;
  log: Logger;
  srf: SrfClient;
  /** The SIP server is connected. */
  sipUp: () => boolean;
  /** How often the far end of a call on hold is probed. */
  probeIntervalMs: number;
  ports: PortAllocator;
  ticker: Ticker;
  clips: ClipCache;
  calls: Calls;
  recorder: Recorder;
  /** Commands for one leg run one after the other. */
  commandMutex: KeyedMutex;
  report: <F extends MediaFact>(fact: F, payload: MediaFactPayload<F>) => void;
}

/** A command that cannot be done, in the words of the protocol. */
export class CommandError extends Error {
  readonly code: MediaErrorCode;

  constructor(code: MediaErrorCode, message: string) {
    super(message);
    this.name = 'CommandError';
    this.code = code;
  }
}

export interface NewCarrierLeg {
  kind: 'carrier-in' | 'carrier-out';
  legId: string;
  /** The trunk's addresses. */
  sourceCidrs: readonly string[];
  ownEndpoint: boolean;
}

/** A carrier leg of `call` with its port open, not yet added to it. Throws CommandError `capacity`. */
export async function openCarrierLeg(
  node: NodeContext,
  call: CallMedia,
  input: NewCarrierLeg,
): Promise<CarrierLeg> {
  const { callId } = call;
  const port = await node.ports.acquire().catch((error: unknown) => {
    if (error instanceof PortsExhausted) throw new CommandError('capacity', error.message);
    throw error;
  });
  const leg = new CarrierLeg({
    ...input,
    maySendTo: (address) => node.allowPrivateAddresses || isPublicAddress(address),
    callId,
    media: call.media,
    ticker: node.ticker,
    bindAddress: node.bindAddress,
    port,
    log: node.log,
    clips: node.clips,
    onPlayed: reportPlayed(node, callId, input.legId),
    onDigit: (digit) =>
      node.report('leg:dtmf', {
        callId,
        legId: input.legId,
        at: new Date().toISOString(),
        digit,
      }),
    onChange: () => call.changed(),
  });
  try {
    await leg.open();
  } catch (error) {
    await leg.close();
    node.ports.release(port);
    throw error;
  }
  return leg;
}

/** Tells the end of what a leg plays. */
export function reportPlayed(
  node: NodeContext,
  callId: number,
  legId: string,
): (playId: string, played: boolean) => void {
  return (playId, heard) =>
    node.report('leg:played', { callId, legId, at: new Date().toISOString(), playId, played: heard });
}

export function localMedia(node: NodeContext, leg: CarrierLeg): LocalMedia {
  return { address: node.publicAddress, port: leg.port, sessionId: Date.now(), sessionVersion: 1 };
}

/** The media part of a carrier leg's facts, the same for both directions. */
export function legConnected(node: NodeContext, leg: CarrierLeg): void {
  node.report('leg:connected', {
    callId: leg.callId,
    legId: leg.legId,
    at: new Date().toISOString(),
    codec: leg.laws[0]?.law ?? 'PCMU',
  });
}
