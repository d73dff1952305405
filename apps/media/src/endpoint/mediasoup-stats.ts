/** The statistics that mediasoup keeps of a handed-over leg. */
import type { types } from 'mediasoup';

export interface MediasoupStats {
  receivedPackets: number;
  receivedBytes: number;
  lost: number;
  jitter: number;
  sentPackets: number;
  sentBytes: number;
  /** From the carrier's last RTCP report, if there was one. */
  roundTripMs: number | null;
  /** 0 to 1. */
  remoteLoss: number | null;
}

export const emptyStats: MediasoupStats = {
  receivedPackets: 0,
  receivedBytes: 0,
  lost: 0,
  jitter: 0,
  sentPackets: 0,
  sentBytes: 0,
  roundTripMs: null,
  remoteLoss: null,
};

export async function statsOf(
  producer: types.Producer | null,
  consumer: types.Consumer | null,
): Promise<MediasoupStats> {
  const received = !producer || producer.closed ? [] : await producer.getStats();
  const sent = consumer && !consumer.closed ? await consumer.getStats() : [];
  const stats = { ...emptyStats };
  for (const stat of received) {
    stats.receivedPackets += stat.packetCount;
    stats.receivedBytes += stat.byteCount;
    stats.lost += Math.max(0, stat.packetsLost);
    stats.jitter = stat.jitter;
  }
  for (const stat of sent) {
    if (stat.type !== 'outbound-rtp') continue;
    stats.sentPackets += stat.packetCount;
    stats.sentBytes += stat.byteCount;
    // mediasoup reports a round-trip time of 0 until the first receiver report arrives.
    if (!stat.roundTripTime) continue;
    stats.roundTripMs = Math.round(stat.roundTripTime);
    stats.remoteLoss = stat.fractionLost / 256;
  }
  return stats;
}

export function addStats(a: MediasoupStats, b: MediasoupStats): MediasoupStats {
  return {
    receivedPackets: a.receivedPackets + b.receivedPackets,
    receivedBytes: a.receivedBytes + b.receivedBytes,
    lost: a.lost + b.lost,
    jitter: b.jitter,
    sentPackets: a.sentPackets + b.sentPackets,
    sentBytes: a.sentBytes + b.sentBytes,
    roundTripMs: b.roundTripMs ?? a.roundTripMs,
    remoteLoss: b.remoteLoss ?? a.remoteLoss,
  };
}
