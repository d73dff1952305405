/** Statistics of a carrier leg over its lifetime: the sum of what our endpoint and mediasoup counted. Pure. */
import type { LegStats } from '@clarion/protocol/media';
import type { HeldEndpoint } from '../endpoint/held.ts';
import type { RelayStats } from '../endpoint/relay-stats.ts';

export interface CarrierFigures {
  codec: string | null;
  durationMs: number;
  endpoint: HeldEndpoint;
  /** One entry per completed hand-over, oldest first. */
  relayed: readonly RelayStats[];
  /** Statistics of the current relay. */
  ssrcChanges: number;
  moves: number;
}

export function carrierStats(figures: CarrierFigures): LegStats {
  const { codec, durationMs, endpoint, relayed, ssrcChanges, moves } = figures;
  const sum = (field: Exclude<keyof RelayStats, 'roundTripMs' | 'remoteLoss'>) =>
    relayed.reduce((total, one) => total + one[field], 0);
  const { received } = endpoint;
  return {
    codec,
    durationMs,
    receivedPackets: received.packets + sum('receivedPackets'),
    receivedBytes: received.bytes + sum('receivedBytes'),
    lostPackets: received.lost + sum('lost'),
    jitterMs: Math.round(Math.max(received.jitterMs, ...relayed.map((one) => one.jitter / 8))),
    sentPackets: endpoint.sentPackets + sum('sentPackets'),
    sentBytes: endpoint.sentBytes + sum('sentBytes'),
    heldPackets: received.packets,
    handedOverPackets: sum('receivedPackets'),
    roundTripMs: relayed.at(-1)?.roundTripMs ?? endpoint.roundTripMs,
    remoteLossPercent: percent(relayed.at(-1)?.remoteLoss ?? endpoint.remoteLoss),
    ssrcChanges: received.ssrcChanges + ssrcChanges,
    moves,
    droppedSource: endpoint.droppedSource,
    droppedPayloadType: endpoint.droppedPayloadType,
  };
}

const percent = (share: number | null) => (share === null ? null : Math.round(share * 1_000) / 10);
