/** A leg's stored statistics as its quality in the call detail; null if there are none. */
import type { LegQuality } from '@clarion/protocol';
import { legStats } from '@clarion/protocol/media';
import { lossPercentOf, mosOf } from '@clarion/protocol/quality';

/** `stats`: media's report at the end of the leg, as stored. A leg that received nothing has no quality. */
export function presentQuality(stats: unknown): LegQuality | null {
  const read = legStats.safeParse(stats);
  if (!read.success || read.data.receivedPackets === 0) return null;
  const { codec, receivedPackets, lostPackets, jitterMs, roundTripMs } = read.data;
  const lossPercent = lossPercentOf(receivedPackets, lostPackets);
  const mos = mosOf({ lossPercent, jitterMs, roundTripMs });
  return { codec, receivedPackets, lostPackets, lossPercent, jitterMs, roundTripMs, mos };
}
