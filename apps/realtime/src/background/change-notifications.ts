/** LISTEN: handles changes of other processes immediately instead of in the next periodic check. */
import { listen } from '@clarion/db';
import type { Listener } from '@clarion/db';
import type { AgentAccess } from '../agents/access.ts';
import type { Board } from '../board/board.ts';
import type { CallEngine } from '../call-engine.ts';
import type { DashboardAccess } from '../dashboard/access.ts';
import type { Deps } from '../deps.ts';
import type { CachedNames } from '../lib/names.ts';
import { withRetries } from '../lib/retry.ts';
import type { OtherNodes } from '../sockets/other-nodes.ts';
import type { TrunkMonitor } from '../trunks/trunk-monitor.ts';
import type { TrunkTests } from '../trunks/trunk-tests.ts';
import type { WhatsAppArrivals } from '../whatsapp/arrivals.ts';

export function followChangeNotifications(
  databaseUrl: string,
  {
    deps,
    names,
    otherNodes,
    engine,
    agentAccess,
    dashboardAccess,
    board,
    whatsApp,
    trunkMonitor,
    trunkTests,
  }: {
    deps: Deps;
    names: CachedNames;
    otherNodes: OtherNodes;
    engine: CallEngine;
    agentAccess: AgentAccess;
    dashboardAccess: DashboardAccess;
    board: Board;
    whatsApp: WhatsAppArrivals;
    trunkMonitor: TrunkMonitor;
    trunkTests: TrunkTests;
  },
): Listener {
  const { log } = deps;
  const handle = (what: string, work: (payload: string) => Promise<void>) => (payload: string) => {
    withRetries(() => work(payload)).catch((error: unknown) =>
      log.warn({ err: error, what, payload }, 'failed to handle a notification'),
    );
  };
  return listen(
    databaseUrl,
    {
      clarion_call: handle('call', (outboxId) => engine.runStored(BigInt(outboxId))),
      clarion_queue: handle('queue', async (queueId) => {
        await board.queueChanged(Number(queueId));
        await engine.dispatch(Number(queueId));
      }),
      clarion_whatsapp: handle('WhatsApp event', (eventId) => whatsApp.eventStored(BigInt(eventId))),
      clarion_board: (payload) => board.onNotification(payload),
      clarion_agent_name: (agentId) => names.renamed.agent(Number(agentId)),
      clarion_queue_name: (queueId) => names.renamed.queue(Number(queueId)),
      clarion_channel_name: (channelId) => names.renamed.channel(Number(channelId)),
      clarion_trunk() {
        deps.trunks.evictAll();
        trunkMonitor.trunksChanged();
      },
      clarion_price_plan: (planId) => deps.prices.forgetPlan(Number(planId)),
      clarion_rates: (deckId) => deps.prices.forgetDeck(Number(deckId)),
      clarion_trunk_test: handle('test of a trunk', (trunkId) => trunkTests.requested(Number(trunkId))),
      clarion_realtime_node: () => otherNodes.changed(),
      clarion_agent: handle('agent', (agentId) => agentAccess.agentChanged(Number(agentId))),
      clarion_tenant: handle('tenant', async (tenantId) => {
        await agentAccess.tenantChanged(Number(tenantId));
        await dashboardAccess.tenantChanged(Number(tenantId));
      }),
      clarion_consumer: handle('consumer', async (consumerId) => {
        await agentAccess.consumerChanged(Number(consumerId));
        await dashboardAccess.consumerChanged(Number(consumerId));
      }),
      clarion_session: handle('session', (sessionId) => dashboardAccess.sessionChanged(Number(sessionId))),
      clarion_staff: handle('staff', (staffUserId) => dashboardAccess.staffChanged(Number(staffUserId))),
      clarion_signing_key: handle('signing key', (keyId) => agentAccess.signingKeyChanged(Number(keyId))),
    },
    {
      applicationName: deps.nodeId,
      onConnect: () => {
        names.evictAll();
        deps.prices.forgetAll();
        deps.trunks.evictAll();
        trunkMonitor.trunksChanged();
        otherNodes.changed();
        handle('missed', async () => {
          await agentAccess.checkAll();
          await dashboardAccess.checkAll();
        })('');
      },
      onError: (error) => log.warn({ err: error }, 'lost the notification connection; reconnecting'),
    },
  );
}
