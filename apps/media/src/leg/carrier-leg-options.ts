/** What a carrier leg is made of and tells. */
import type { Logger } from 'pino';
import type { Clips } from '../mix/clips.ts';
import type { Ticker } from '../rtp/ticker.ts';
import type { MediaWorker } from '../worker-pool.ts';

export interface CarrierLegOptions {
  kind: 'carrier-in' | 'carrier-out';
  callId: number;
  legId: string;
  media: MediaWorker;
  ticker: Ticker;
  bindAddress: string;
  port: number;
  sourceCidrs: readonly string[];
  /** Whether an address may be sent to because an SDP names it. */
  maySendTo: (address: string) => boolean;
  /** The carrier cannot bear mediasoup's packets: never handed over. */
  ownEndpoint: boolean;
  log: Logger;
  clips: Clips;
  /** Fact `leg:played`. */
  onPlayed: (playId: string, played: boolean) => void;
  onDigit: (digit: string) => void;
  /** Something that decides held or handed over has changed. */
  onChange: () => void;
}
