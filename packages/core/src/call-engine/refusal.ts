/** Stores a rejected INVITE for the diagnostics of the trunks it concerns. */
import type { Tx } from '@clarion/db';
import type { InviteRequest } from '@clarion/protocol/media';

export interface Refusal {
  /** The trunks for which it is stored; empty: no trunk matched. */
  trunkIds: number[];
  status: number;
  /** The reason, as a sentence for people. */
  reason: string;
  /** The source is not an address of a matching trunk, so anyone on the internet can cause this. */
  unknownSource: boolean;
  /** Lines of several tenants match, which only the operator can resolve. */
  ambiguous: boolean;
}

const NUMBER_MAX_CHARS = 191;

export async function recordRefusal(
  db: Tx,
  { trunkIds, status, reason }: Refusal,
  question: InviteRequest,
  now: Date,
): Promise<void> {
  const told: (number | null)[] = trunkIds.length === 0 ? [null] : trunkIds;
  await db.sipRefusal.createMany({
    data: told.map((trunkId) => ({
      trunkId,
      at: now,
      status,
      inviteId: question.inviteId,
      source: question.source.address,
      number: question.requestUser.slice(0, NUMBER_MAX_CHARS),
      reason,
    })),
  });
}
