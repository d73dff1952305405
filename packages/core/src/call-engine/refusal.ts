/** Stores a rejected INVITE for the diagnostics of the trunks it concerns. */
import type { Tx } from '@clarion/db';
import { failures } from '@clarion/protocol';
import type { FailureCode } from '@clarion/protocol';
import type { InviteRequest } from '@clarion/protocol/media';

export interface Refusal {
  /** The trunks for which it is stored; empty: no trunk matched. */
  trunkIds: number[];
  status: number;
  code: FailureCode;
  /** The reason, as a sentence for people: that of the catalogue, or a more concrete one. */
  reason: string;
  /** The source is not an address of a matching trunk, so anyone on the internet can cause this. */
  unknownSource: boolean;
  /** Lines of several tenants match, which only the operator can resolve. */
  ambiguous: boolean;
}

/** Why an INVITE is rejected, before it is known whom the refusal concerns. */
export type RefusalReason = Pick<Refusal, 'status' | 'code' | 'reason'>;

/** With the sentence of the catalogue. */
export const refusalReason = (status: number, code: FailureCode): RefusalReason => ({
  status,
  code,
  reason: failures[code].text,
});

const NUMBER_MAX_CHARS = 191;
/** Any number of accounts may list the same address. */
const MAX_TRUNKS = 20;

export async function recordRefusal(
  db: Tx,
  { trunkIds, status, code, reason }: Refusal,
  question: InviteRequest,
  now: Date,
): Promise<void> {
  const told: (number | null)[] = trunkIds.length === 0 ? [null] : trunkIds.slice(0, MAX_TRUNKS);
  await db.sipRefusal.createMany({
    data: told.map((trunkId) => ({
      trunkId,
      at: now,
      status,
      inviteId: question.inviteId,
      source: question.source.address,
      number: question.requestUser.slice(0, NUMBER_MAX_CHARS),
      code,
      reason,
    })),
  });
}
