/** A leg's stored figures as its quality in the call detail; null when there are none. */
import type { LegQuality } from '@clarion/protocol';
import { legStats } from '@clarion/protocol/media';
import { lossPercentOf, mosOf } from '@clarion/protocol/quality';

/** `stats`: what media said at the end of the leg, as stored. A leg nothing ever came from has no quality. */
export function presentQuality(stats: unknown): LegQuality | null {
  const read = legStats.safeParse(stats);
  if (!read.success || read.data.receivedPackets === 0) return null;
  const { codec, receivedPackets, lostPackets, jitterMs, roundTripMs } = read.data;
  const lossPercent = lossPercentOf(receivedPackets, lostPackets);
  const mos = mosOf({ lossPercent, jitterMs, roundTripMs });
  return { codec, receivedPackets, lostPackets, lossPercent, jitterMs, roundTripMs, mos };
}
