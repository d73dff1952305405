/** Applies a step's history effects in its transaction: call row, log, participants, legs, agents, events. */
import { tenantSettingsWithDefaults, storedTenantSettings } from '@clarion/protocol';
import type { Call, Prisma, Tx } from '@clarion/db';
import { presentCall } from '../call-record/present.ts';
import { recordCallEvent } from '../event/record-event.ts';
import type { CallPatch, HistoryEffect } from '../call-machine/effects.ts';
import { recordAvailability } from '../agent/record-availability.ts';
import { recordShift } from '../agent/set-shift.ts';
import { recordCallUsage } from '../usage/record-call-usage.ts';
import { assertNever } from '../call-machine/outcome.ts';
import { writeIvr } from './history/ivr.ts';
import { isLatestMonitor, join, leave } from './history/participants.ts';
import { beginRecording, endRecording } from './history/recording.ts';
import { writeTransfer } from './history/transfer.ts';
import { toJson } from './stored.ts';

/** The agent is reserved by another call or deleted. The whole step is rolled back. */
export class AgentTaken extends Error {
  readonly agentId: number;
  constructor(agentId: number) {
    super(`agent ${agentId} is taken`);
    this.name = 'AgentTaken';
    this.agentId = agentId;
  }
}

type Of<K extends HistoryEffect['kind']> = Extract<HistoryEffect, { kind: K }>;

export async function writeHistory(
  tx: Tx,
  callId: number,
  effects: readonly HistoryEffect[],
  now: Date,
): Promise<void> {
  const records: Of<'record'>[] = [];
  const agents: Of<'agent'>[] = [];
  const about: (Of<'patch'> | Of<'publish'>)[] = [];
  for (const effect of effects) {
    switch (effect.kind) {
      case 'record':
        records.push(effect);
        break;
      case 'agent':
        agents.push(effect);
        break;
      case 'patch':
      case 'publish':
        about.push(effect);
        break;
      case 'join':
        await join(tx, callId, effect, now);
        break;
      case 'leave':
        await leave(tx, callId, effect, now);
        break;
      case 'leg':
        await writeLeg(tx, callId, effect, now);
        break;
      case 'ivr':
        await writeIvr(tx, callId, effect, now);
        break;
      case 'transfer':
        await writeTransfer(tx, callId, effect, now);
        break;
      case 'recording':
        await beginRecording(tx, callId);
        break;
      default:
        assertNever(effect);
    }
  }
  if (records.length > 0) {
    await tx.callLifecycle.createMany({ data: records.map((record) => lifecycleRow(callId, record, now)) });
  }
  // Locks are always taken in the same order, so that two steps that lock several agents do not deadlock.
  for (const effect of agents.toSorted((a, b) => a.agentId - b.agentId))
    await changeAgent(tx, callId, effect, now);
  if (about.length > 0) await patchAndPublish(tx, callId, about, now);
}

const lifecycleRow = (
  callId: number,
  { type, agentId, durationSeconds, metadata }: Of<'record'>,
  occurredAt: Date,
) => ({
  callId,
  type,
  agentId: agentId ?? null,
  occurredAt,
  durationSeconds: durationSeconds ?? null,
  ...(metadata && { metadata: toJson(metadata) }),
});

/** Applied in the given order, so that each event shows the call as it was at that point. */
async function patchAndPublish(
  tx: Tx,
  callId: number,
  effects: (Of<'patch'> | Of<'publish'>)[],
  now: Date,
): Promise<void> {
  const { tenant, ...row } = await tx.call.findUniqueOrThrow({
    where: { id: callId },
    include: { tenant: { select: { ref: true } } },
  });
  let call: Call = row;
  // call.ringing is published at the first ring only; `ringingAt` of the loaded row shows whether there was one.
  let rungBefore = row.ringingAt !== null;
  for (const effect of effects) {
    if (effect.kind === 'patch') {
      call = await tx.call.update({ where: { id: callId }, data: await columnsOf(tx, call, effect.patch) });
      if (effect.patch.endedAt !== undefined) {
        await recordCallUsage(tx, callId, now);
        await endRecording(tx, callId);
      }
      continue;
    }
    if (effect.event === 'call.ringing') {
      if (rungBefore) continue;
      rungBefore = true;
    }
    await recordCallEvent(tx, {
      type: effect.event,
      call,
      tenantRef: tenant.ref,
      data: { call: presentCall(call, tenant.ref, now) },
      now,
    });
  }
}

async function columnsOf(tx: Tx, call: Call, patch: CallPatch): Promise<Prisma.CallUncheckedUpdateInput> {
  const data: Prisma.CallUncheckedUpdateInput = {};
  if (patch.status) data.status = patch.status;
  // Columns that describe the first ring, the first queue and the answer keep their first value.
  if (patch.ringingAt !== undefined && !call.ringingAt) data.ringingAt = new Date(patch.ringingAt);
  if (patch.queuedAt !== undefined && !call.queuedAt) data.queuedAt = new Date(patch.queuedAt);
  if (patch.answeredAt !== undefined && !call.answeredAt) data.answeredAt = new Date(patch.answeredAt);
  if (patch.endedAt !== undefined) data.endedAt = new Date(patch.endedAt);
  if (patch.agentId === null) {
    data.agentId = null;
    data.agentRef = null;
  } else if (patch.agentId !== undefined && patch.agentId !== call.agentId) {
    const agent = await tx.agent.findUniqueOrThrow({ where: { id: patch.agentId }, select: { ref: true } });
    data.agentId = patch.agentId;
    data.agentRef = agent.ref;
  }
  if (patch.queueId !== undefined) {
    const queue = await tx.queue.findUnique({ where: { id: patch.queueId }, select: { ref: true } });
    data.queueId = patch.queueId;
    if (queue) data.queueRef = queue.ref;
  }
  if (patch.overflowed) data.overflowed = true;
  if (patch.customerName !== undefined) data.customerName = patch.customerName;
  if (patch.mediaPath !== undefined) data.mediaPath = patch.mediaPath;
  if (patch.externalRef !== undefined) data.externalRef = patch.externalRef;
  if (patch.outcome) {
    data.terminationReason = patch.outcome.terminationReason;
    data.terminatedBy = patch.outcome.terminatedBy;
    if (patch.outcome.failureDetails) data.failureDetails = toJson(patch.outcome.failureDetails);
  }
  return data;
}

async function writeLeg(tx: Tx, callId: number, effect: Of<'leg'>, now: Date): Promise<void> {
  const { leg: type, state, agentId, deviceId, legId, stats } = effect;
  const gone = state === 'DISCONNECTED' || state === 'FAILED';
  if (type === 'MONITOR' && gone && legId !== undefined && !(await isLatestMonitor(tx, callId, legId)))
    return;
  const data = {
    state,
    ...(agentId !== undefined && { agentId }),
    ...(deviceId !== undefined && { deviceId }),
    ...(legId !== undefined && { legId }),
    ...(stats && { stats: toJson(stats) }),
    ...(state === 'CONNECTED' && { connectedAt: now, disconnectedAt: null }),
    ...(state === 'CONNECTING' && { disconnectedAt: null }),
    ...(gone && { disconnectedAt: now }),
  };
  await tx.callLeg.upsert({
    where: { callId_type: { callId, type } },
    create: { callId, type, ...data },
    update: data,
  });
}

async function changeAgent(
  tx: Tx,
  callId: number,
  { agentId, change, wrapUpSeconds = 0 }: Of<'agent'>,
  now: Date,
): Promise<void> {
  const held = { id: agentId, currentCallId: callId };
  const released = { currentCallId: null, onCall: false };
  const idleFromNow = { ...released, idleSince: now };
  switch (change) {
    case 'reserve':
      if (!(await reserveAgent(tx, agentId, callId))) throw new AgentTaken(agentId);
      return;
    case 'engage':
      await turnOnCall(tx, held, true, { onCall: true }, now);
      return;
    case 'answered':
      await turnOnCall(tx, held, true, { onCall: true, consecutiveMissed: 0 }, now);
      return;
    case 'free':
      await turnOnCall(tx, held, false, released, now);
      return;
    case 'talked':
      await turnOnCall(tx, held, false, { ...idleFromNow, ...wrappingUp(wrapUpSeconds, now) }, now);
      return;
    case 'declined':
    case 'failed':
      await turnOnCall(tx, held, false, idleFromNow, now);
      return;
    case 'missed':
      await turnOnCall(tx, held, false, { ...idleFromNow, consecutiveMissed: { increment: 1 } }, now);
      await autoOffline(tx, agentId, now);
      return;
    default:
      assertNever(change);
  }
}

/**
 * Queues offer the agent no call until this time, when their idle time starts. A call without wrap-up does not shorten one that is running.
 */
function wrappingUp(seconds: number, now: Date) {
  if (seconds === 0) return {};
  const wrapUpUntil = new Date(now.getTime() + seconds * 1000);
  return { wrapUpUntil, idleSince: wrapUpUntil };
}

/** Writes `data`, and records an event if the agent becomes ON_CALL or stops being so. Ringing does not count. */
async function turnOnCall(
  tx: Tx,
  held: { id: number; currentCallId: number },
  onCall: boolean,
  data: Prisma.AgentUpdateManyMutationInput,
  now: Date,
): Promise<void> {
  const turned = await tx.agent.updateMany({ where: { ...held, onCall: !onCall }, data });
  if (turned.count > 0) await recordAvailability(tx, held.id, now);
  else await tx.agent.updateMany({ where: held, data });
}

/** Reserves an idle agent for a call. All reservations go through here, so that an agent is never reserved for two calls. */
export async function reserveAgent(tx: Tx, agentId: number, callId: number): Promise<boolean> {
  const { count } = await tx.agent.updateMany({
    where: { id: agentId, currentCallId: null, deletedAt: null },
    data: { currentCallId: callId, onCall: false },
  });
  return count === 1;
}

/** Sets the agent to OFFLINE after too many missed offers in a row, if the tenant has auto-offline enabled. */
async function autoOffline(tx: Tx, agentId: number, now: Date): Promise<void> {
  const agent = await tx.agent.findUnique({
    where: { id: agentId },
    select: { consecutiveMissed: true, tenant: { select: { settings: true } } },
  });
  if (!agent) return;
  const { autoOffline: rule } = tenantSettingsWithDefaults(storedTenantSettings.parse(agent.tenant.settings));
  if (!rule.enabled || agent.consecutiveMissed < rule.missedThreshold) return;
  const before = await tx.agent.updateMany({
    where: { id: agentId, shift: 'AVAILABLE' },
    data: { shift: 'OFFLINE', consecutiveMissed: 0 },
  });
  if (before.count === 0) return;
  await recordShift(tx, agentId, 'OFFLINE', now);
  await recordAvailability(tx, agentId, now, { ofShift: true });
}
