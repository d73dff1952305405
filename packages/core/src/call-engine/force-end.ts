/**
 * Ends a live call without its state machine, when its state cannot be read or every step throws. Its agents are released and media
 * releases its legs. Transfers, flows and callbacks of the call are not continued.
 */
import type { Database } from '@clarion/db';
import { finish, notifyAgent } from '../call-machine/shared.ts';
import type { Effect } from '../call-machine/effects.ts';
import { outcomes } from '../call-machine/outcome.ts';
import { retryOnConflict } from '../retry-on-conflict.ts';
import { commitStep, timeOfStep } from './commit.ts';
import type { Pending } from './commit.ts';

/** @returns null if the call is not live */
export async function forceEnd(
  db: Database,
  callId: number,
  message: string,
  now: Date,
): Promise<Pending | null> {
  return retryOnConflict(db, async (tx) => {
    const row = await tx.liveCall.findUnique({
      where: { callId },
      select: { tenantId: true, version: true, mediaNodeId: true, lastEventAt: true },
    });
    if (!row) return null;
    const agents = await tx.agent.findMany({ where: { currentCallId: callId }, select: { id: true } });
    const moment = timeOfStep(now, row.lastEventAt);
    const ended = finish({ callId, revision: 0 }, outcomes.systemError(message), moment.getTime());
    const effects: Effect[] = [
      ...ended.effects,
      ...agents.flatMap(({ id: agentId }): Effect[] => [
        { kind: 'agent', agentId, change: 'free' },
        notifyAgent(agentId, { message: 'ended' }),
        notifyAgent(agentId, { message: 'agent' }),
        { kind: 'dispatch-agent', agentId },
      ]),
      ...(row.mediaNodeId === null
        ? []
        : [
            {
              kind: 'media',
              mediaNodeId: row.mediaNodeId,
              order: { command: 'call:release' },
            } satisfies Effect,
          ]),
    ];
    const { tenantId, version } = row;
    return commitStep(tx, { callId, tenantId, version }, { state: ended.state, effects }, moment, {
      runsEffects: true,
    });
  });
}
