/** Notifications from other processes: what they changed is looked at now instead of at the next round. */
import { claimPending } from '@clarion/core/call/engine/outbox';
import { listen } from '@clarion/db';
import type { Listener } from '@clarion/db';
import type { Deps } from '../deps.ts';
import type { Removals } from '../agents/removals.ts';
import type { Board } from '../board/board.ts';
import type { DashboardRemovals } from '../dashboard/removals.ts';
import { repeated } from './repeated.ts';
import type { Engine } from './runner.ts';

export function followHints(
  databaseUrl: string,
  {
    deps,
    engine,
    removals,
    dashboards,
    board,
  }: { deps: Deps; engine: Engine; removals: Removals; dashboards: DashboardRemovals; board: Board },
): Listener {
  const { db, log, now } = deps;
  const doing = (what: string, work: (payload: string) => Promise<void>) => (payload: string) => {
    repeated(() => work(payload)).catch((error: unknown) =>
      log.warn({ err: error, what, payload }, 'failed to process a notification'),
    );
  };
  return listen(
    databaseUrl,
    {
      clarion_call: doing('call', async (outboxId) => {
        for (const pending of await claimPending(db, now(), BigInt(outboxId))) engine.run(pending);
      }),
      clarion_queue: doing('queue', async (queueId) => {
        await board.queueChanged(Number(queueId));
        await engine.dispatch(Number(queueId));
      }),
      clarion_board: (payload) => board.heard(payload),
      clarion_agent: doing('agent', (agentId) => removals.agentChanged(Number(agentId))),
      clarion_tenant: doing('tenant', async (tenantId) => {
        await removals.tenantChanged(Number(tenantId));
        await dashboards.tenantChanged(Number(tenantId));
      }),
      clarion_consumer: doing('consumer', async (consumerId) => {
        await removals.consumerChanged(Number(consumerId));
        await dashboards.consumerChanged(Number(consumerId));
      }),
      clarion_session: doing('session', (sessionId) => dashboards.sessionChanged(Number(sessionId))),
      clarion_staff: doing('staff', (staffUserId) => dashboards.staffChanged(Number(staffUserId))),
      clarion_signing_key: doing('signing key', (keyId) => removals.signingKeyChanged(Number(keyId))),
    },
    {
      onConnect: () =>
        doing('missed', async () => {
          await removals.checkAll();
          await dashboards.checkAll();
        })(''),
      onError: (error) => log.warn({ err: error }, 'notification connection lost, reconnecting'),
    },
  );
}
