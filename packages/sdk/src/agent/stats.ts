import { lossPercentOf } from '@clarion/protocol/quality';
import { estimateMos, type QualitySample } from './quality.ts';

/** The cumulative totals of one peer connection, from `getStats`. */
export interface StatsTotals {
  packetsReceived: number;
  packetsLost: number;
  packetsSent: number;
  jitterMs: number | null;
  roundTripMs: number | null;
  codec: string | null;
}

/** Reads the audio totals from a report. */
export function readTotals(report: Iterable<unknown>): StatsTotals {
  const totals: StatsTotals = {
    packetsReceived: 0,
    packetsLost: 0,
    packetsSent: 0,
    jitterMs: null,
    roundTripMs: null,
    codec: null,
  };
  const codecs = new Map<unknown, string>();
  let codecId: unknown;
  for (const entry of report) {
    const stat = entry as Record<string, unknown>;
    switch (stat['type']) {
      case 'inbound-rtp':
        totals.packetsReceived += numberOr(stat['packetsReceived'], 0);
        totals.packetsLost += numberOr(stat['packetsLost'], 0);
        codecId = stat['codecId'];
        if (typeof stat['jitter'] === 'number') totals.jitterMs = stat['jitter'] * 1000;
        break;
      case 'codec':
        if (typeof stat['mimeType'] === 'string') codecs.set(stat['id'], stat['mimeType']);
        break;
      case 'outbound-rtp':
        totals.packetsSent += numberOr(stat['packetsSent'], 0);
        break;
      case 'remote-inbound-rtp':
        if (typeof stat['roundTripTime'] === 'number') totals.roundTripMs = stat['roundTripTime'] * 1000;
        break;
      case 'candidate-pair':
        // The round-trip time from RTCP is better, because it includes the media path. This one is available from the start.
        if (stat['nominated'] === true && typeof stat['currentRoundTripTime'] === 'number')
          totals.roundTripMs ??= stat['currentRoundTripTime'] * 1000;
        break;
    }
  }
  totals.codec = codecs.get(codecId)?.split('/')[1]?.toUpperCase() ?? null;
  return totals;
}

/** The difference between two readings, a second apart. */
export function sampleBetween(before: StatsTotals, after: StatsTotals): QualitySample {
  const packetsReceived = Math.max(after.packetsReceived - before.packetsReceived, 0);
  const packetsLost = Math.max(after.packetsLost - before.packetsLost, 0);
  const expected = packetsReceived + packetsLost;
  const lossRatio = expected === 0 ? null : packetsLost / expected;
  const { jitterMs, roundTripMs, codec } = after;
  return {
    roundTripMs,
    jitterMs,
    lossRatio,
    packetsReceived,
    packetsLost,
    lossPercent: lossRatio === null ? null : lossPercentOf(packetsReceived, packetsLost),
    codec,
    packetsSent: Math.max(after.packetsSent - before.packetsSent, 0),
    mos: lossRatio === null ? null : estimateMos(roundTripMs, jitterMs ?? 0, lossRatio),
  };
}

const numberOr = (value: unknown, fallback: number) => (typeof value === 'number' ? value : fallback);
