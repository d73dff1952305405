/**
 * What a dispatch reads, in one statement: the oldest waiting calls of the queues, their first idle agents, and how many calls each queue
 * handles. Limited, so that it costs the same however many calls wait and agents are idle; without an idle agent it reads no call.
 */
import type { Database, QueueStrategy } from '@clarion/db';
import type { Age, QueueView } from '../queue-routing/plan.ts';
import type { IdleAgent } from '../queue-routing/snapshot.ts';
import { stepSqlOf } from '../call-store/step-sql.ts';
import type { Statement, StepSql } from '../call-store/step-sql.ts';
import { skillsAskedFor } from '../call-machine/state.ts';
import type { QueueWait } from '../call-machine/state.ts';

/** How many waiting calls and idle agents of a queue are read: enough for the offers that are made between two reads. */
export const FEW = 20;

export interface DispatchedQueue extends QueueView {
  ringTimeoutSeconds: number;
  maxActiveCalls: number | null;
}

export interface DispatchView {
  queues: DispatchedQueue[];
  /** Calls that wait in a queue which was deleted. If there are many, these are the first ones. */
  orphaned: { callId: number; queueId: number }[];
}

/** $1: queues. $2: the time. $3: how many calls and agents of each; null: all. */
export const LOAD_DISPATCH: Statement = {
  name: 'load-dispatch',
  text: 'select load_dispatch($1::int[], $2::timestamptz, $3::int)',
};

const HANDLED_CALLS: Statement = { name: 'handled-calls', text: 'select handled_calls($1::int)' };

/** JSON as the function writes it, its only source. */
interface Row {
  queueId: number;
  strategy: QueueStrategy | null;
  ringTimeoutSeconds: number | null;
  maxActiveCalls: number | null;
  handled: number;
  calls: CallRow[] | null;
  agents: IdleAgent[] | null;
}

interface CallRow {
  callId: number;
  since: number;
  /** The call counts against the queue's max_active_calls already. */
  handled: boolean;
  wait: Pick<QueueWait, 'declined' | 'missed' | 'skills' | 'relaxAt' | 'relaxed'>;
  offers: { agentId: number }[] | null;
}

/**
 * Reads these queues, and every queue in which an idle agent of theirs could take an older call.
 *
 * @param most how many calls and agents of a queue are read; null: all
 */
export async function readDispatch(
  db: Database,
  queueIds: readonly number[],
  now: Date,
  most: number | null = FEW,
): Promise<DispatchView> {
  const rows = (await stepSqlOf(db).run(LOAD_DISPATCH, [[...queueIds], now.toISOString(), most])) as Row[];
  const limit = most ?? Infinity;
  return {
    queues: rows.flatMap((row) => viewOf(row, now, limit)),
    orphaned: rows.flatMap(({ strategy, queueId, calls }) =>
      strategy === null ? (calls ?? []).map(({ callId }) => ({ callId, queueId })) : [],
    ),
  };
}

function viewOf(row: Row, now: Date, limit: number): DispatchedQueue[] {
  const { queueId, strategy, ringTimeoutSeconds, maxActiveCalls, handled } = row;
  if (strategy === null || ringTimeoutSeconds === null) return [];
  const calls = row.calls ?? [];
  const agents = row.agents ?? [];
  return [
    {
      queueId,
      strategy,
      ringTimeoutSeconds,
      maxActiveCalls,
      waiting: calls.map((call) => ({ since: call.since, call: waitingCall(call, now) })),
      free: agents,
      capacity: maxActiveCalls === null ? null : maxActiveCalls - handled,
      showsCallsTo: showsCallsTo(calls, limit),
      // RING_ALL reads every idle agent.
      cutOffAfter: strategy === 'RING_ALL' ? [] : lastOfFull(agents, limit),
    },
  ];
}

/** Those who are asleep and those who are not are limited separately. */
const lastOfFull = (agents: readonly IdleAgent[], limit: number): IdleAgent[] =>
  [true, false].flatMap((asleep) =>
    agents.filter((agent) => agent.asleep === asleep).slice(limit - 1, limit),
  );

/** Those that ring and those that do not are limited separately. */
function showsCallsTo(calls: readonly CallRow[], limit: number): Age | null {
  const ends = [true, false].flatMap((ringing) => {
    const page = calls.filter(({ offers }) => isRinging(offers) === ringing);
    const last = page.at(-1);
    return last && page.length >= limit ? [last] : [];
  });
  return calls.find((call) => ends.includes(call)) ?? null;
}

const isRinging = (offers: CallRow['offers']): boolean => (offers ?? []).length > 0;

const waitingCall = ({ callId, handled, wait, offers }: CallRow, now: Date) => ({
  callId,
  ringingAt: (offers ?? []).map(({ agentId }) => agentId),
  declined: wait.declined,
  missed: wait.missed,
  skills: skillsAskedFor(wait, now.getTime()),
  handled,
});

/** The calls of a queue that count against its max_active_calls, for a decision under the queue's lock. */
export const countHandled = async (sql: Pick<StepSql, 'run'>, queueId: number): Promise<number> =>
  (await sql.run(HANDLED_CALLS, [queueId])) as number;
