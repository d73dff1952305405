/** The queue of a call and its overflow chain, as of the creation of the call. */
import type { Database, Tx } from '@clarion/db';
import { loadOverflowChain } from '../call-store/load-invite.ts';
import { stepSqlOf } from '../call-store/step-sql.ts';
import type { OverflowHop } from '../queue-routing/overflow-hop.ts';

/**
 * The queue and those to which it overflows, each once.
 *
 * @throws if the queue does not exist
 */
export async function overflowChain(db: Tx | Database, queueId: number): Promise<OverflowHop[]> {
  const stops = await loadOverflowChain(stepSqlOf(db).run, queueId);
  if (stops.length === 0) throw new Error(`queue ${queueId} does not exist`);
  return stops;
}
