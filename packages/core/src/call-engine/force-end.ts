/**
 * Ends a live call without its state machine, when its state cannot be read or every step throws. Its agents are released and media
 * releases its legs. Transfers, flows and callbacks of the call are not continued.
 */
import type { Database } from '@clarion/db';
import { finish, notifyAgent } from '../call-machine/shared.ts';
import type { Effect } from '../call-machine/effects.ts';
import { outcomes } from '../call-machine/outcome.ts';
import { retrying } from '../retry-on-conflict.ts';
import { loadStep } from '../call-store/load-step.ts';
import { stepSqlOf } from '../call-store/step-sql.ts';
import { commitStep, timeOfStep } from './commit.ts';
import type { Pending } from './commit.ts';

/** @returns null if the call is not live */
export async function forceEnd(
  db: Database,
  callId: number,
  message: string,
  now: Date,
): Promise<Pending | null> {
  const sql = stepSqlOf(db);
  return retrying(async () => {
    const loaded = await loadStep(sql.run, callId, []);
    if (!loaded) return null;
    const { mediaNodeId, lastEventAt } = loaded.live;
    const agents = loaded.agents.filter(({ currentCallId }) => currentCallId === callId);
    const moment = timeOfStep(now, lastEventAt);
    const ended = finish({ callId, revision: 0 }, outcomes.systemError(message), moment.getTime());
    const effects: Effect[] = [
      ...ended.effects,
      ...agents.flatMap(({ id: agentId }): Effect[] => [
        { kind: 'agent', agentId, change: 'free' },
        notifyAgent(agentId, { message: 'ended' }),
        notifyAgent(agentId, { message: 'agent' }),
        { kind: 'dispatch-agent', agentId },
      ]),
      ...(mediaNodeId === null
        ? []
        : [
            {
              kind: 'media',
              mediaNodeId,
              order: { command: 'call:release' },
            } satisfies Effect,
          ]),
    ];
    return commitStep(sql, loaded, null, { state: ended.state, effects }, moment, { runsEffects: true });
  });
}
