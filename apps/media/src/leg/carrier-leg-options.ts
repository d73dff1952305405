/** Dependencies and callbacks of a carrier leg. */
import type { Logger } from 'pino';
import type { ClipCache } from '../mix/clip-cache.ts';
import type { Ticker } from '../rtp/ticker.ts';
import type { MediaWorker } from '../worker-pool.ts';

/** What happens to the audio of a carrier leg. */
export type CarrierMoment =
  'first-packet-received' | 'first-packet-sent' | 'handed-over' | 'taken-back' | 'ssrc-changed';

export interface CarrierLegOptions {
  kind: 'carrier-in' | 'carrier-out';
  callId: number;
  legId: string;
  media: MediaWorker;
  ticker: Ticker;
  bindAddress: string;
  port: number;
  sourceCidrs: readonly string[];
  /** Whether audio may be sent to an address in SDP that does not belong to the trunk. */
  maySendTo: (address: string) => boolean;
  /** The carrier does not accept mediasoup's packets: the leg is never handed over. */
  localEndpointOnly: boolean;
  log: Logger;
  clips: ClipCache;
  /** Reports the fact `leg:played`. */
  onPlayed: (playId: string, played: boolean) => void;
  onDigit: (digit: string) => void;
  /** Something that the call's SIP ladder shows. */
  onMoment: (what: CarrierMoment, data?: Record<string, boolean>) => void;
  /** Called when a condition for the choice of endpoint has changed. */
  onChange: () => void;
}
