/** Statistics of a carrier leg over its lifetime: the sum of both endpoints. Pure. */
import type { LegStats } from '@clarion/protocol/media';
import type { LocalRtpEndpoint } from '../endpoint/local-rtp-endpoint.ts';
import type { MediasoupStats } from '../endpoint/mediasoup-stats.ts';

export interface CarrierFigures {
  codec: string | null;
  durationMs: number;
  endpoint: LocalRtpEndpoint;
  /** One entry per completed hand-over, oldest first. */
  mediasoup: readonly MediasoupStats[];
  /** Counted by the current mediasoup endpoint. */
  ssrcChanges: number;
  moves: number;
  droppedUnauthentic: number;
}

export function carrierStats(figures: CarrierFigures): LegStats {
  const { codec, durationMs, endpoint, mediasoup, ssrcChanges, moves, droppedUnauthentic } = figures;
  const sum = (field: Exclude<keyof MediasoupStats, 'roundTripMs' | 'remoteLoss'>) =>
    mediasoup.reduce((total, one) => total + one[field], 0);
  const { received } = endpoint;
  return {
    codec,
    durationMs,
    receivedPackets: received.packets + sum('receivedPackets'),
    receivedBytes: received.bytes + sum('receivedBytes'),
    lostPackets: received.lost + sum('lost'),
    jitterMs: Math.round(Math.max(received.jitterMs, ...mediasoup.map((one) => one.jitter / 8))),
    sentPackets: endpoint.sentPackets + sum('sentPackets'),
    sentBytes: endpoint.sentBytes + sum('sentBytes'),
    // Stored with the leg, under the names of earlier versions: received on the local and on the mediasoup endpoint.
    heldPackets: received.packets,
    handedOverPackets: sum('receivedPackets'),
    roundTripMs: mediasoup.at(-1)?.roundTripMs ?? endpoint.roundTripMs,
    remoteLossPercent: percent(mediasoup.at(-1)?.remoteLoss ?? endpoint.remoteLoss),
    ssrcChanges: received.ssrcChanges + ssrcChanges,
    moves,
    droppedSource: endpoint.droppedSource,
    droppedPayloadType: endpoint.droppedPayloadType,
    droppedUnauthentic,
  };
}

const percent = (share: number | null) => (share === null ? null : Math.round(share * 1_000) / 10);
