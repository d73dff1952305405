/** The parts of a running node that commands and inbound calls use. */
import type { MediaErrorCode, MediaFact, MediaFactPayload } from '@clarion/protocol/media';
import type { Logger } from 'pino';
import type { Calls } from './calls.ts';
import type { Ladders } from './ladder/ladders.ts';
import { CarrierLeg } from './leg/carrier-leg.ts';
import type { CustomerLeg } from './leg/customer-leg.ts';
import type { ClipCache } from './mix/clip-cache.ts';
import type { CallMedia } from './route/call-media.ts';
import { PortsExhausted, type PortAllocator } from './ports.ts';
import type { Recorder } from './record/recorder.ts';
import { isPublicAddress } from './rtp/public-address.ts';
import type { Ticker } from './rtp/ticker.ts';
import type { LocalMedia } from './sdp/carrier.ts';
import { newLocalKeys } from './sip/agreement.ts';
import type { DialContext } from './sip/dialling.ts';
import type { SrfClient } from './sip/srf.ts';
import type { Dns } from './sip/trunk-addresses.ts';
import type { KeyedMutex } from './keyed-mutex.ts';
import type { WhatsAppTiming } from './whatsapp/whatsapp-leg.ts';
import { monotonicTime } from './monotonic-time.ts';

export interface NodeContext {
  bindAddress: string;
  /** The address that our SDP announces. */
  publicAddress: string;
  /** Whether audio may be sent to private addresses announced in SDP (`CLARION_ALLOW_PRIVATE_EGRESS`). */
  allowPrivateAddresses: boolean;
  log: Logger;
  srf: SrfClient;
  /** For the hosts of trunks. */
  dns: Dns;
  /** Authorities that the SIP server trusts (`CLARION_SIP_TLS_CA`); undefined: the system's. */
  sipTlsCa: string | undefined;
  /** Whether the SIP server is connected. */
  sipUp: () => boolean;
  /** What outbound calls share. */
  dial: DialContext;
  /** How often the remote party of a call on hold is probed. */
  probeIntervalMs: number;
  whatsAppTiming: WhatsAppTiming;
  ports: PortAllocator;
  ticker: Ticker;
  clips: ClipCache;
  calls: Calls;
  recorder: Recorder;
  /** Serializes the commands for one leg. */
  commandMutex: KeyedMutex;
  report: <F extends MediaFact>(fact: F, payload: MediaFactPayload<F>) => void;
  /** Reports the connection of an agent's leg for which the customer's leg is being sent a 200, with the ACK if that follows soon. */
  reportAnswering: (customerLegId: string, agent: MediaFactPayload<'leg:connected'>) => void;
  ladders: Ladders;
}

/** A command that failed, with an error code of the protocol. */
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
  localEndpointOnly: boolean;
}

/**
 * Creates a carrier leg of `call` and opens its ports, without adding it to the call. Throws CommandError `capacity`.
 */
export async function openCarrierLeg(
  node: NodeContext,
  call: CallMedia,
  input: NewCarrierLeg,
): Promise<CarrierLeg> {
  const { callId } = call;
  const port = await acquirePort(node);
  const leg = new CarrierLeg({
    ...input,
    maySendTo: maySendTo(node),
    callId,
    media: call.media,
    ticker: node.ticker,
    bindAddress: node.bindAddress,
    port,
    log: node.log,
    clips: node.clips,
    onPlayed: reportPlayed(node, callId, input.legId),
    onDigit: reportDigit(node, callId, input.legId),
    onChange: () => call.changed(),
    onMoment: (what, data) => node.ladders.note(callId, input.legId, what, data),
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

/** The port of a customer's leg. Throws CommandError `capacity`. */
export function acquirePort(node: NodeContext): Promise<number> {
  return node.ports.acquire().catch((error: unknown) => {
    if (error instanceof PortsExhausted) throw new CommandError('capacity', error.message);
    throw error;
  });
}

/** Whether anything may be sent to an address that a session description announces. */
export const maySendTo =
  (node: NodeContext) =>
  (address: string): boolean =>
    node.allowPrivateAddresses || isPublicAddress(address);

/** Reports the digits that a customer presses. */
export function reportDigit(node: NodeContext, callId: number, legId: string): (digit: string) => void {
  return (digit) => node.report('leg:dtmf', { callId, legId, at: monotonicTime(), digit });
}

/** Reports the end of a playback on a leg. */
export function reportPlayed(
  node: NodeContext,
  callId: number,
  legId: string,
): (playId: string, played: boolean) => void {
  return (playId, heard) =>
    node.report('leg:played', { callId, legId, at: monotonicTime(), playId, played: heard });
}

export function localMedia(node: NodeContext, leg: CarrierLeg): LocalMedia {
  return {
    address: node.publicAddress,
    port: leg.port,
    sessionId: Date.now(),
    sessionVersion: 1,
    keys: newLocalKeys(),
  };
}

/**
 * Reports that a customer's leg is connected, for calls in both directions.
 *
 * @param fact `at`: when it was answered, by default now; `trunkId`: of the dial attempt that was answered
 */
export function reportConnected(
  node: NodeContext,
  leg: CustomerLeg,
  { at = monotonicTime(), ...fact }: { at?: string | undefined; trunkId?: number } = {},
): void {
  node.report('leg:connected', {
    callId: leg.callId,
    legId: leg.legId,
    at,
    codec: leg.codec ?? 'PCMU',
    ...fact,
  });
}
