/** LISTEN: reacts to what other processes changed at once instead of in the next periodic check. */
import { claimPending } from '@clarion/core/call/engine/outbox';
import { listen } from '@clarion/db';
import type { Listener } from '@clarion/db';
import type { Removals } from '../agents/removals.ts';
import type { Board } from '../board/board.ts';
import type { CallEngine } from '../call-engine.ts';
import type { DashboardRemovals } from '../dashboard/removals.ts';
import type { Deps } from '../deps.ts';
import { withRetries } from '../lib/retry.ts';

export function followChangeNotifications(
  databaseUrl: string,
  {
    deps,
    engine,
    removals,
    dashboards,
    board,
  }: { deps: Deps; engine: CallEngine; removals: Removals; dashboards: DashboardRemovals; board: Board },
): Listener {
  const { db, log, now } = deps;
  const handling = (what: string, work: (payload: string) => Promise<void>) => (payload: string) => {
    withRetries(() => work(payload)).catch((error: unknown) =>
      log.warn({ err: error, what, payload }, 'failed to handle a notification'),
    );
  };
  return listen(
    databaseUrl,
    {
      clarion_call: handling('call', async (outboxId) => {
        for (const pending of await claimPending(db, now(), BigInt(outboxId))) engine.run(pending);
      }),
      clarion_queue: handling('queue', async (queueId) => {
        await board.queueChanged(Number(queueId));
        await engine.dispatch(Number(queueId));
      }),
      clarion_board: (payload) => board.heard(payload),
      clarion_agent: handling('agent', (agentId) => removals.agentChanged(Number(agentId))),
      clarion_tenant: handling('tenant', async (tenantId) => {
        await removals.tenantChanged(Number(tenantId));
        await dashboards.tenantChanged(Number(tenantId));
      }),
      clarion_consumer: handling('consumer', async (consumerId) => {
        await removals.consumerChanged(Number(consumerId));
        await dashboards.consumerChanged(Number(consumerId));
      }),
      clarion_session: handling('session', (sessionId) => dashboards.sessionChanged(Number(sessionId))),
      clarion_staff: handling('staff', (staffUserId) => dashboards.staffChanged(Number(staffUserId))),
      clarion_signing_key: handling('signing key', (keyId) => removals.signingKeyChanged(Number(keyId))),
    },
    {
      onConnect: () =>
        handling('missed', async () => {
          await removals.checkAll();
          await dashboards.checkAll();
        })(''),
      onError: (error) => log.warn({ err: error }, 'lost the notification connection; reconnecting'),
    },
  );
}
