/** A call with its participants, legs, log, transfers and IVR sessions. */
import { ivrOutcomes, leaveReasons, legStates, legTypes, participantKinds } from '@clarion/protocol';
import type { CallDetail } from '@clarion/protocol';
import type { CallLeg, CallLifecycle, CallParticipant, CallTransfer, Prisma } from '@clarion/db';
import type { Ctx } from '../context.ts';
import { presentQuality } from '../call-record/present-quality.ts';
import { presentRecording } from '../recording/present.ts';
import { callOf } from '../call-record/call-of.ts';
import { presentCall } from '../call-record/present.ts';

export async function getCall(ctx: Ctx, callId: number): Promise<CallDetail> {
  const { tenant, ...call } = await callOf(ctx, callId);
  const { db, now } = ctx;
  const where = { callId };
  // IDs increase in the order of joining and of occurrence.
  const orderBy = { id: 'asc' } as const;
  const [participants, legs, lifecycle, transfers, sessions, recording] = await Promise.all([
    db.callParticipant.findMany({ where, orderBy }),
    db.callLeg.findMany({ where, orderBy: { type: 'asc' } }),
    db.callLifecycle.findMany({ where, orderBy }),
    db.callTransfer.findMany({ where, orderBy }),
    db.ivrSession.findMany({ where, orderBy, include: withInputs }),
    db.recording.findUnique({ where }),
  ]);
  return {
    call: presentCall(call, tenant.ref, now),
    participants: participants.map(presentParticipant),
    legs: legs.map(presentLeg),
    events: lifecycle.map(presentLifecycle),
    transfers: transfers.map(presentTransfer),
    ivrSessions: sessions.map(presentSession),
    recording: recording && presentRecording(recording),
  };
}

const iso = (at: Date | null) => at?.toISOString() ?? null;

/** Only the engine writes these columns, with values of the same unions. */
function memberOf<const T extends readonly string[]>(members: T, stored: string): T[number] {
  const member = members.find((known) => known === stored);
  if (member === undefined) throw new Error(`${stored} is not one of ${members.join(', ')}`);
  return member;
}

const presentParticipant = (row: CallParticipant): CallDetail['participants'][number] => ({
  kind: memberOf(participantKinds, row.kind),
  agentId: row.agentId,
  agentRef: row.agentRef,
  deviceId: row.deviceId,
  listenerName: row.listenerName,
  joinedAt: row.joinedAt.toISOString(),
  leftAt: iso(row.leftAt),
  leaveReason: row.leaveReason === null ? null : memberOf(leaveReasons, row.leaveReason),
});

const presentLeg = (row: CallLeg): CallDetail['legs'][number] => ({
  type: memberOf(legTypes, row.type),
  agentId: row.agentId,
  deviceId: row.deviceId,
  state: memberOf(legStates, row.state),
  connectedAt: iso(row.connectedAt),
  disconnectedAt: iso(row.disconnectedAt),
  quality: presentQuality(row.stats),
});

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const presentLifecycle = (row: CallLifecycle): CallDetail['events'][number] => ({
  type: row.type,
  agentId: row.agentId,
  occurredAt: row.occurredAt.toISOString(),
  durationSeconds: row.durationSeconds,
  metadata: isRecord(row.metadata) ? row.metadata : null,
});

const presentTransfer = (row: CallTransfer): CallDetail['transfers'][number] => ({
  id: row.id,
  fromAgentId: row.fromAgentId,
  toAgentId: row.toAgentId,
  toQueueId: row.toQueueId,
  initiatedByAgentId: row.initiatedByAgentId,
  initiatedByType: row.initiatedByType,
  transferredAt: row.transferredAt.toISOString(),
  acceptedAt: iso(row.acceptedAt),
  acceptanceDurationSeconds:
    row.acceptedAt === null
      ? null
      : Math.floor((row.acceptedAt.getTime() - row.transferredAt.getTime()) / 1000),
});

const withInputs = { inputs: { orderBy: { id: 'asc' } } } satisfies Prisma.IvrSessionInclude;
type SessionRow = Prisma.IvrSessionGetPayload<{ include: typeof withInputs }>;

const presentSession = (row: SessionRow): CallDetail['ivrSessions'][number] => ({
  id: row.id,
  ivrFlowId: row.ivrFlowId,
  completed: row.completed,
  outcome: row.outcome === null ? null : memberOf(ivrOutcomes, row.outcome),
  durationSeconds:
    row.endedAt === null ? null : Math.floor((row.endedAt.getTime() - row.startedAt.getTime()) / 1000),
  startedAt: row.startedAt.toISOString(),
  endedAt: iso(row.endedAt),
  inputs: row.inputs.map(({ nodeName, input, pressedAt }) => ({
    nodeName,
    input,
    pressedAt: pressedAt.toISOString(),
  })),
});
