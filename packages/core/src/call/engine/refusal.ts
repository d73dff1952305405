/** An INVITE that became no call, kept for the diagnostics of the trunks it concerns. */
import type { Database } from '@clarion/db';
import type { InviteQuestion } from '@clarion/protocol/media';

export interface Refusal {
  /** The trunks that are told; none: no trunk is meant. */
  trunkIds: number[];
  status: number;
  /** For people: what was wrong. */
  reason: string;
  /** The source is no address of a trunk that is meant: anybody on the internet can cause this. */
  stranger: boolean;
  /** Lines of several tenants fit, and only the operator can tell them apart. */
  ambiguous: boolean;
}

const NUMBER_MAX_CHARS = 191;

export async function recordRefusal(
  db: Database,
  { trunkIds, status, reason }: Refusal,
  question: InviteQuestion,
  now: Date,
): Promise<void> {
  const told: (number | null)[] = trunkIds.length === 0 ? [null] : trunkIds;
  await db.sipRefusal.createMany({
    data: told.map((trunkId) => ({
      trunkId,
      at: now,
      status,
      source: question.source.address,
      number: question.requestUser.slice(0, NUMBER_MAX_CHARS),
      reason,
    })),
  });
}
