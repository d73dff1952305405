/** The one statement that commits a step: all of the document or nothing. */
import { ApiError, failures } from '@clarion/protocol';
import { storable } from '@clarion/protocol/storable-text';
import { VersionConflict } from '../retry-on-conflict.ts';
import { creditRefusal } from '../ledger/outbound-refusal.ts';
import { sqlStateOf } from '../sql-state.ts';
import type { StepDocument } from './step-document.ts';
import type { Statement, StepSql } from './step-sql.ts';

const COMMIT_STEP: Statement = {
  name: 'commit-step',
  text: "select commit_step($1::jsonb)::text || ' ' || pg_current_xact_id()::xid::text",
};

/** SQLSTATE of a row that is no longer as it was loaded. */
const CHANGED = 'CL001';
/** SQLSTATE of a call that does not begin, because the account has as many live calls as its plan allows. */
const TOO_MANY_CALLS = 'CL002';
/** SQLSTATE of a call that does not begin, because an account cannot pay for its first block. The message is `<owner> <refusal>`. */
const NO_CREDIT = 'CL004';
/** SQLSTATE of a call that does not begin, because a trunk has as many live calls as its carrier allows. */
export const TOO_MANY_CALLS_OF_TRUNK = 'CL003';

/** The concurrent call limit of a trunk is reached, not that of the account. */
export const trunkCallLimitReached = (): ApiError =>
  new ApiError('too_many_calls', { message: failures.trunk_call_limit.text });
export const isTrunkCallLimit = (error: unknown): boolean =>
  error instanceof ApiError &&
  error.code === 'too_many_calls' &&
  error.message === failures.trunk_call_limit.text;

export interface CommittedDocument {
  /** The outbox row of the step's effects. */
  outboxId: bigint;
  /** Of every row that the step inserted or updated: the transaction's ID, which PostgreSQL stores in `xmin`. */
  rowVersion: string;
  /** False if characters that cannot be stored were removed. */
  asGiven: boolean;
}

/**
 * @throws 409 too_many_calls, 402 if an account cannot pay, for a call that begins
 * @throws VersionConflict if the call or an agent changed since they were loaded; load again, in a transaction after its rollback
 */
export async function commitDocument(
  { run, onRecorded }: StepSql,
  document: StepDocument,
): Promise<CommittedDocument> {
  const { json, asGiven } = jsonOf(document);
  try {
    const [outboxId = '', rowVersion = ''] = String(await run(COMMIT_STEP, [json])).split(' ');
    if (document.events.length > 0) onRecorded('deliveries');
    if (document.pushes) onRecorded('pushes');
    return { outboxId: BigInt(outboxId), rowVersion, asGiven };
  } catch (error) {
    const state = sqlStateOf(error);
    if (state === CHANGED) throw new VersionConflict(messageOf(error));
    if (state === NO_CREDIT) throw creditRefusalOf(messageOf(error));
    if (state === TOO_MANY_CALLS_OF_TRUNK) throw trunkCallLimitReached();
    throw state === TOO_MANY_CALLS ? new ApiError('too_many_calls') : error;
  }
}

function creditRefusalOf(message: string): ApiError {
  const owner = message.includes('TENANT') ? 'TENANT' : 'CONSUMER';
  return creditRefusal(owner, message.includes('suspended') ? 'suspended' : 'insufficient_balance');
}

/** Characters that jsonb rejects, as JSON writes them: U+0000 and unpaired surrogates. */
const NOT_STORABLE = /\\u(?:0000|d[89a-f])/;

/** A step that cannot be stored would be retried for ever, so characters that jsonb rejects are removed. They are rare. */
function jsonOf(document: StepDocument): { json: string; asGiven: boolean } {
  const json = JSON.stringify(document);
  if (!NOT_STORABLE.test(json)) return { json, asGiven: true };
  return { json: JSON.stringify(storable(document)), asGiven: false };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
