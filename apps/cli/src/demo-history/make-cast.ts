/** Creates what the sample history needs in addition to the demo account: agents, queues, lines and an IVR flow. Existing rows stay as they are. */
import { readFileSync } from 'node:fs';
import { putIvrFlowBody } from '@clarion/protocol/v1/tenant/ivr-flows';
import { findAgent } from '@clarion/core/agent/agent-of';
import { putAgent } from '@clarion/core/agent/put-agent';
import { createAudioAsset } from '@clarion/core/audio/create-audio-asset';
import { findChannel } from '@clarion/core/channel/channel-of';
import { putChannel } from '@clarion/core/channel/put-channel';
import { demo } from '@clarion/core/demo-account';
import { tenantOf } from '@clarion/core/context';
import type { Ctx } from '@clarion/core/context';
import { putIvrFlow } from '@clarion/core/ivr-flow/put-flow';
import { commitPrepared } from '@clarion/core/prepared';
import { findQueue } from '@clarion/core/queue/queue-of';
import { putQueue } from '@clarion/core/queue/put-queue';
import type { EntityIds } from './call-rows.ts';
import { castAgents, castLines, castQueues, castTimeZone, openHours, welcomeFlow } from './cast.ts';
import { noRows } from './manifest.ts';
import type { DemoRows } from './manifest.ts';

export const assetsUrl = new URL('../../assets/demo/', import.meta.url);

/** @returns in `made` the rows that did not exist. @throws 404 without the demo account */
export async function makeCast(ctx: Ctx): Promise<{ world: EntityIds; made: DemoRows }> {
  const tenant = await tenantOf(ctx, demo.tenantRef);
  const made: DemoRows = structuredClone(noRows);
  for (const { ref, name, role } of castAgents) {
    if (await findAgent(ctx, tenant, ref)) continue;
    made.agents.push((await putAgent(ctx, demo.tenantRef, ref, { name, role })).id);
  }
  // Support first: another queue overflows to it.
  for (const queue of castQueues.toSorted(
    (a, b) => Number(b.ref === 'support') - Number(a.ref === 'support'),
  )) {
    if (await findQueue(ctx, tenant, queue.ref)) continue;
    made.queues.push(
      (
        await putQueue(ctx, demo.tenantRef, queue.ref, {
          name: `${queue.ref.charAt(0).toUpperCase()}${queue.ref.slice(1)}`,
          strategy: 'ROUND_ROBIN',
          ringTimeoutSeconds: 20,
          maxWaitSeconds: queue.maxWaitSeconds,
          overflowQueueRef: queue.overflow,
          holdAudioAssetId: null,
          maxActiveCalls: null,
          wrapUpSeconds: 10,
          announcePosition: true,
          announceWait: false,
          announceEverySeconds: 60,
          callbackKey: null,
          skillsWaitSeconds: null,
          answerWhileWaiting: false,
          members: queue.members.map((agentRef) => ({ agentRef, priority: 1, skills: [] })),
        })
      ).id,
    );
  }
  await makeLines(ctx, made);
  const ivrFlowId = await makeFlow(ctx, made);
  return { world: await readWorld(ctx, ivrFlowId), made };
}

async function makeLines(ctx: Ctx, made: DemoRows): Promise<void> {
  const tenant = await tenantOf(ctx, demo.tenantRef);
  const trunk = await ctx.db.sipTrunk.findUniqueOrThrow({ where: { ingressLabel: demo.trunk.ingressLabel } });
  for (const [ref, line] of Object.entries(castLines)) {
    if (await findChannel(ctx, tenant, ref)) continue;
    const channel = await putChannel(ctx, demo.tenantRef, ref, {
      type: 'SIP',
      ...line,
      providerAccountId: null,
      sipTrunkId: trunk.id,
      backupSipTrunkId: null,
      leastCostRouting: false,
      marginGuard: false,
      credentials: undefined,
      ownerAgentRef: null,
      ringTimeoutSeconds: null,
      recordingEnabled: null,
      status: 'ACTIVE',
    });
    made.lines.push(channel.id);
  }
}

async function makeFlow(ctx: Ctx, made: DemoRows): Promise<number> {
  const tenant = await tenantOf(ctx, demo.tenantRef);
  const where = { tenantId_ref: { tenantId: tenant.id, ref: welcomeFlow.ref } };
  const found = await ctx.db.ivrFlow.findUnique({ where, select: { id: true } });
  if (found) return found.id;
  const welcome = await makeSound(ctx, 'Welcome and menu', 'welcome.wav');
  const closed = await makeSound(ctx, 'We are closed', 'closed.wav');
  made.sounds.push(welcome, closed);
  const queues = await ctx.db.queue.findMany({ where: { tenantId: tenant.id } });
  const queueId = (ref: string) => queues.find((queue) => queue.ref === ref)?.id ?? 0;
  const weekdays = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY'];
  const at = (x: number, y: number) => ({ position: { x, y } });
  const clock = (hour: number) => `${String(hour).padStart(2, '0')}:00`;
  const span = ({ from, to }: { from: number; to: number }) => ({ from: clock(from), to: clock(to) });
  const body = putIvrFlowBody.parse({
    name: welcomeFlow.name,
    channel_ref: 'main',
    structure: {
      nodes: [
        { id: 'start', type: 'ivr_start', ...at(0, 160) },
        {
          id: 'hours',
          type: 'ivr_hours',
          ...at(288, 160),
          data: {
            timezone: castTimeZone,
            hours: [
              { days: weekdays, ...span(openHours.weekdays) },
              { days: ['SATURDAY'], ...span(openHours.saturdays) },
            ],
          },
        },
        { id: welcomeFlow.menuName, type: 'ivr_menu', ...at(576, 40), data: { audioFileId: welcome } },
        { id: 'closed', type: 'ivr_play', ...at(576, 400), data: { audioFileId: closed } },
        { id: 'bye', type: 'ivr_hangup', ...at(864, 400) },
        ...castQueues.map(({ ref }, i) => ({
          id: ref,
          type: 'ivr_transfer',
          ...at(864, i * 130 - 70),
          data: { targetType: 'queue', targetId: queueId(ref) },
        })),
      ],
      edges: [
        { source: 'start', target: 'hours' },
        { source: 'hours', target: welcomeFlow.menuName, sourceHandle: 'open' },
        { source: 'hours', target: 'closed', sourceHandle: 'closed' },
        { source: 'closed', target: 'bye' },
        ...castQueues.map(({ ref, key }) => ({
          source: welcomeFlow.menuName,
          target: ref,
          sourceHandle: key,
        })),
      ],
    },
  });
  const flow = await putIvrFlow(ctx, demo.tenantRef, welcomeFlow.ref, body);
  made.flows.push(flow.id);
  return flow.id;
}

async function makeSound(ctx: Ctx, name: string, file: string): Promise<number> {
  const contentBase64 = readFileSync(new URL(file, assetsUrl)).toString('base64');
  const input = { name, mimeType: 'audio/wav' as const, contentBase64, storageKey: null };
  const prepared = await createAudioAsset(ctx, demo.tenantRef, input);
  return (await commitPrepared(prepared, ({ commit }) => commit(ctx))).id;
}

async function readWorld(ctx: Ctx, ivrFlowId: number): Promise<EntityIds> {
  const tenant = await tenantOf(ctx, demo.tenantRef);
  const where = { tenantId: tenant.id };
  const agents = await ctx.db.agent.findMany({ where });
  const queues = await ctx.db.queue.findMany({ where });
  const lines = await ctx.db.channel.findMany({ where });
  const of = <T extends { ref: string }>(rows: readonly T[], ref: string): T => {
    const found = rows.find((row) => row.ref === ref);
    if (!found) throw new Error(`the demo account has no ${ref}`);
    return found;
  };
  const line = (ref: string) => {
    const { id, sipTrunkId } = of(lines, ref);
    return { id, sipTrunkId };
  };
  return {
    consumerId: ctx.consumer.id,
    tenantId: tenant.id,
    agents: {
      ada: of(agents, 'ada').id,
      ben: of(agents, 'ben').id,
      cleo: of(agents, 'cleo').id,
      dina: of(agents, 'dina').id,
      emil: of(agents, 'emil').id,
      farah: of(agents, 'farah').id,
    },
    queues: {
      support: of(queues, 'support').id,
      sales: of(queues, 'sales').id,
      billing: of(queues, 'billing').id,
    },
    lines: { main: line('main'), support: line('support'), sales: line('sales'), ada: line('ada') },
    ivrFlowId,
  };
}
