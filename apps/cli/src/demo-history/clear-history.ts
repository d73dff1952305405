/** Deletes exactly what was added as the sample history, except what is in use now. */
import { demo } from '@clarion/core/demo-account';
import { deleteAudioAsset } from '@clarion/core/audio/delete-audio-asset';
import { deleteCallRows } from '@clarion/core/call/erasure/traces';
import { consumerOf, forConsumer } from '@clarion/core/consumer/operator';
import type { OperatorCtx } from '@clarion/core/consumer/operator';
import type { Ctx } from '@clarion/core/context';
import { ApiError } from '@clarion/protocol';
import { withoutRecordingFiles } from '@clarion/core/recording/without-files';
import { noRows, readManifest, writeManifest } from './manifest.ts';
import type { DemoRows } from './manifest.ts';

/** Calls per transaction. */
const BATCH = 200;

export interface HistoryCleared {
  calls: number;
  /** What was created with the history and stays, because it is in use. */
  kept: string[];
}

/** Can be run again after an interruption. @throws 503 storage_unavailable if a recording's file could not be removed */
export async function clearHistory(ctx: OperatorCtx): Promise<HistoryCleared> {
  const own = forConsumer(ctx, await consumerOf(ctx, demo.slug));
  const rows = await readManifest(ctx.db, own.consumer.id);
  if (!rows) return { calls: 0, kept: [] };
  let calls = 0;
  for (let at = 0; at < rows.calls.length; at += BATCH) {
    const ids = rows.calls.slice(at, at + BATCH);
    calls += await withoutRecordingFiles(own, ids, async ({ db }) => {
      await db.usageRecord.deleteMany({ where: { callId: { in: ids } } });
      return (await deleteCallRows(db, ids)).calls;
    });
  }
  await own.db.agentShift.deleteMany({ where: { id: { in: rows.shifts } } });
  await own.db.auditEntry.deleteMany({ where: { id: { in: rows.auditEntries } } });
  const kept = await removeCast(own, rows);
  await writeManifest(own.db, own.consumer.id, noRows);
  return { calls, kept };
}

/** Deletes referring rows before the rows they refer to. Whatever calls, flows or agents of the account now use is kept. */
async function removeCast(ctx: Ctx, rows: DemoRows): Promise<string[]> {
  const { db } = ctx;
  const kept: string[] = [];
  const used = async (channelId: number) =>
    (await db.call.findFirst({ where: { channelId }, select: { id: true } })) !== null;
  for (const id of rows.flows) await db.ivrFlow.deleteMany({ where: { id } });
  for (const id of rows.lines) {
    const line = await db.channel.findUnique({
      where: { id },
      include: { ivrFlows: { select: { id: true } } },
    });
    if (!line) continue;
    if (line.ivrFlows.length > 0 || (await used(id))) kept.push(`line ${line.ref}`);
    else {
      await db.phoneNumber.deleteMany({ where: { channelId: id } });
      await db.channel.deleteMany({ where: { id } });
    }
  }
  for (const id of rows.sounds) {
    try {
      await deleteAudioAsset(ctx, demo.tenantRef, id);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code === 'storage_unavailable') throw error;
      if (error.code === 'in_use') kept.push(`sound ${id}`);
    }
  }
  kept.push(...(await removeQueues(ctx, rows)), ...(await removeAgents(ctx, rows)));
  await db.auditEntry.deleteMany({
    where: {
      consumerId: ctx.consumer.id,
      actorId: String(ctx.actor.id),
      action: 'audio_asset.delete',
      at: ctx.now,
    },
  });
  return kept;
}

/** A queue to which another one overflows is deleted after it. */
async function removeQueues({ db }: Ctx, rows: DemoRows): Promise<string[]> {
  const kept: string[] = [];
  for (const id of rows.queues.toReversed()) {
    const queue = await db.queue.findUnique({
      where: { id },
      include: { _count: { select: { channels: true, ivrFlows: true, overflowOf: true } } },
    });
    if (!queue) continue;
    const calls = await db.call.count({ where: { queueId: id } });
    const { channels, ivrFlows, overflowOf } = queue._count;
    if (channels + ivrFlows + overflowOf + calls > 0) kept.push(`queue ${queue.ref}`);
    else await db.queue.deleteMany({ where: { id } });
  }
  return kept;
}

async function removeAgents({ db }: Ctx, rows: DemoRows): Promise<string[]> {
  const kept: string[] = [];
  for (const id of rows.agents) {
    const agent = await db.agent.findUnique({
      where: { id },
      include: {
        _count: { select: { memberships: true, connections: true, ownedChannels: true, shifts: true } },
      },
    });
    if (!agent) continue;
    const { memberships, connections, ownedChannels, shifts } = agent._count;
    const calls = await db.call.count({ where: { agentId: id } });
    const parts = await db.callParticipant.count({ where: { agentId: id } });
    if (memberships + connections + ownedChannels + shifts + calls + parts > 0)
      kept.push(`agent ${agent.ref}`);
    else await db.agent.deleteMany({ where: { id } });
  }
  return kept;
}
