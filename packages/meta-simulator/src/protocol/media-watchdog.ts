/** When Meta ends an accepted call because the business sends no audio. Pure. */

export interface MediaTimeouts {
  /** From the accept until the first packet. */
  readonly firstPacketMs: number;
  /** Between two packets. */
  readonly silenceMs: number;
}

export const defaultMediaTimeouts: MediaTimeouts = { firstPacketMs: 20_000, silenceMs: 30_000 };

/** 138023 without any packet, 138021 after a pause; null while the call may go on. */
export function mediaTimeout(
  sinceAcceptMs: number,
  silentForMs: number | null,
  { firstPacketMs, silenceMs }: MediaTimeouts,
): 138021 | 138023 | null {
  if (silentForMs === null) return sinceAcceptMs >= firstPacketMs ? 138023 : null;
  // Packets before the accept do not count against the business.
  return Math.min(silentForMs, sinceAcceptMs) >= silenceMs ? 138021 : null;
}
