/** Statistics of a WhatsApp leg over its lifetime. Pure. */
import type { LegStats } from '@clarion/protocol/media';
import type { MediasoupStats } from '../endpoint/mediasoup-stats.ts';
import type { IceBridgeCounters } from '../ice/ice-bridge.ts';
import { OPUS_CLOCK_RATE } from './opus-input.ts';

export interface WhatsAppFigures {
  durationMs: number;
  /** Null if they cannot be read any more. */
  mediasoup: MediasoupStats | null;
  bridge: IceBridgeCounters | null;
  undecodable: number;
}

export function whatsAppStats({ durationMs, mediasoup, bridge, undecodable }: WhatsAppFigures): LegStats {
  const remoteLoss = mediasoup?.remoteLoss ?? null;
  return {
    codec: 'OPUS',
    durationMs,
    receivedPackets: mediasoup?.receivedPackets ?? 0,
    receivedBytes: mediasoup?.receivedBytes ?? 0,
    lostPackets: mediasoup?.lost ?? 0,
    jitterMs: Math.round(((mediasoup?.jitter ?? 0) * 1_000) / OPUS_CLOCK_RATE),
    sentPackets: mediasoup?.sentPackets ?? null,
    sentBytes: mediasoup?.sentBytes ?? null,
    roundTripMs: mediasoup?.roundTripMs ?? null,
    remoteLossPercent: remoteLoss === null ? null : Math.round(remoteLoss * 1_000) / 10,
    undecodable,
    droppedSource: bridge?.droppedSource ?? 0,
    droppedStun: bridge?.droppedStun ?? 0,
    droppedOther: bridge?.droppedOther ?? 0,
  };
}
