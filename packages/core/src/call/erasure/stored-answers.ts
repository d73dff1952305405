/**
 * Responses stored under an Idempotency-Key show the call they created. The row stays, so that a retry does not dial again; the customer is
 * removed from its text.
 */
import { callView } from '@clarion/protocol';
import type { Tx } from '@clarion/db';
import { z } from 'zod';

const answer = z.object({ call: callView });

/** A response to a call whose customer was erased. The order of fields is kept. */
export function withoutCustomer(text: string): string {
  const parsed = answer.safeParse(readJson(text));
  if (!parsed.success) return '{}';
  const { call } = parsed.data;
  const customer = { ...call.customer, address: null, name: null };
  return JSON.stringify({
    call: { ...call, customer, externalRef: null, consumerMetadata: null, failureDetails: null },
  });
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** @returns how many responses were changed */
export async function redactStoredAnswers(tx: Tx, callIds: readonly number[]): Promise<number> {
  const rows = await tx.$queryRaw<{ id: bigint; text: string }[]>`
    select "id", "body" #>> '{}' as "text" from "IdempotencyKey"
    where "callId" = any(${callIds}::int[]) and "status" is not null order by "id" for update`;
  if (rows.length === 0) return 0;
  const ids = rows.map(({ id }) => id);
  const texts = rows.map(({ text }) => withoutCustomer(text));
  return tx.$executeRaw`
    update "IdempotencyKey" k set "body" = to_jsonb(changed.text)
    from unnest(${ids}::bigint[], ${texts}::text[]) as changed(id, text) where k."id" = changed.id`;
}
