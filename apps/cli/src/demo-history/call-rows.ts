/** A sample call as the rows that the engine would have written. Pure. */
import type { Call, CallLeg, Prisma } from '@clarion/db';
import { toJson } from '@clarion/core/call-engine/stored';
import { welcomeFlow } from './cast.ts';
import type { CastQueueRef, CastRef } from './cast.ts';
import type { PlannedCall } from './plan.ts';

/** The rows that calls refer to, by ref. */
export interface EntityIds {
  consumerId: number;
  tenantId: number;
  agents: Readonly<Record<CastRef, number>>;
  queues: Readonly<Record<CastQueueRef, number>>;
  lines: Readonly<Record<PlannedCall['lineRef'], { id: number; sipTrunkId: number | null }>>;
  ivrFlowId: number;
}

/** Marks the calls of the sample history. */
export const DEMO_METADATA = { demo: true } as const;

const date = (ms: number) => new Date(ms);
const dateOrNull = (ms: number | null) => (ms === null ? null : new Date(ms));
const deviceOf = (ref: CastRef) => `${ref}-laptop`;

/** The call's row after its end. */
export function callRow(world: EntityIds, call: PlannedCall, id: number): Call {
  const { lineRef, overflowed, offers } = call;
  const queueRef = overflowed?.to ?? call.queueRef;
  const agentRef = call.transfer?.to ?? call.answeredBy ?? call.dialledBy;
  const { id: channelId, sipTrunkId } = world.lines[lineRef];
  return {
    id,
    consumerId: world.consumerId,
    tenantId: world.tenantId,
    direction: call.direction,
    status: call.outcome.status,
    channelId,
    channelRef: lineRef,
    channelType: 'SIP',
    sipTrunkId,
    queueId: queueRef && world.queues[queueRef],
    queueRef,
    agentId: agentRef && world.agents[agentRef],
    agentRef,
    customerAddress: call.customer.address,
    customerAddressType: 'E164',
    customerWithheld: false,
    customerName: call.customer.name,
    externalRef: call.externalRef,
    consumerMetadata: DEMO_METADATA,
    terminationReason: call.outcome.terminationReason,
    terminatedBy: call.outcome.terminatedBy,
    failureDetails: call.outcome.failureDetails && { ...call.outcome.failureDetails },
    mediaPath: call.answeredAt === null ? null : 'DIRECT',
    overflowed: overflowed !== null,
    inviteId: null,
    eventSequence: 0,
    callbackOf: null,
    createdAt: date(call.createdAt),
    ringingAt: dateOrNull(call.dialledAt ?? offers[0]?.at ?? null),
    queuedAt: dateOrNull(call.queuedAt),
    answeredAt: dateOrNull(call.answeredAt),
    endedAt: date(call.endedAt),
  };
}

type LogRow = Prisma.CallLifecycleCreateManyInput;

export function lifecycleRows(world: EntityIds, call: PlannedCall, callId: number): LogRow[] {
  const rows: LogRow[] = [];
  const say = (type: string, at: number, about: Partial<LogRow> = {}) =>
    rows.push({ callId, type, occurredAt: date(at), ...about });
  const by = (ref: CastRef) => ({ agentId: world.agents[ref] });
  say('CREATED', call.createdAt);
  if (call.ivr) {
    const { endedAt, outcome } = call.ivr;
    const { ivrFlowId } = world;
    say('IVR_STARTED', call.createdAt + 40, { metadata: { ivrFlowId } });
    say('IVR_ENDED', endedAt, { metadata: { ivrFlowId, outcome } });
  }
  if (call.queuedAt !== null) say('QUEUED', call.queuedAt, { metadata: { queueRef: call.queueRef } });
  if (call.overflowed) say('OVERFLOWED', call.overflowed.at, { metadata: { queueRef: call.overflowed.to } });
  for (const { agentRef, at, until, result } of call.offers) {
    say('OFFERED', at, by(agentRef));
    if (result === 'missed') say('MISSED', until, by(agentRef));
    if (result === 'declined') say('DECLINED', until, by(agentRef));
    if (result === 'accepted') {
      const durationSeconds = Math.floor((until - at) / 1000);
      say('ACCEPTED', until, {
        ...by(agentRef),
        durationSeconds,
        metadata: { deviceId: deviceOf(agentRef) },
      });
    }
  }
  if (call.dialledAt !== null && call.dialledBy) {
    say('STARTED', call.createdAt + 150, {
      ...by(call.dialledBy),
      metadata: { deviceId: deviceOf(call.dialledBy) },
    });
    say('DIALLING', call.dialledAt, { ...by(call.dialledBy), metadata: { called: call.customer.address } });
    if (call.outcome.status !== 'FAILED') say('RINGING', call.dialledAt + 700);
  }
  if (call.answeredAt !== null && call.answeredBy) {
    const agent = by(call.answeredBy);
    say('ANSWERED', call.answeredAt, { ...agent, metadata: { media: 'DIRECT' } });
    if (call.recording !== null) say('RECORDING_STARTED', call.answeredAt);
    if (call.monitor) {
      const about = { ...by(call.monitor.by), metadata: { by: 'SUPERVISOR', name: null, mode: 'LISTEN' } };
      say('MONITOR_STARTED', call.monitor.from, about);
      say('MONITOR_STOPPED', call.monitor.to, { ...about, metadata: { ...about.metadata, reason: 'LEFT' } });
    }
    if (call.hold) {
      say('HELD', call.hold.from, agent);
      say('UNHELD', call.hold.to, agent);
    }
    if (call.transfer) {
      const { at, acceptedAt, to } = call.transfer;
      const durationSeconds = Math.floor((acceptedAt - at) / 1000);
      say('TRANSFER_STARTED', at, { ...agent, metadata: { toAgentId: world.agents[to] } });
      say('OFFERED', at + 60, by(to));
      say('ACCEPTED', acceptedAt - 300, { ...by(to), durationSeconds, metadata: { deviceId: deviceOf(to) } });
      say('TRANSFERRED', acceptedAt, {
        ...by(to),
        durationSeconds,
        metadata: { fromAgentId: agent.agentId },
      });
    }
  }
  const { terminationReason, terminatedBy } = call.outcome;
  say('ENDED', call.endedAt, { metadata: { terminationReason, terminatedBy } });
  return rows.toSorted((a, b) => Number(a.occurredAt) - Number(b.occurredAt));
}

type ParticipantRow = Prisma.CallParticipantCreateManyInput;

export function participantRows(world: EntityIds, call: PlannedCall, callId: number): ParticipantRow[] {
  const { answeredAt, answeredBy, endedAt, transfer, monitor } = call;
  const agent = (ref: CastRef, from: number, to: number, leaveReason: string, kind = 'AGENT') => ({
    callId,
    kind,
    agentId: world.agents[ref],
    agentRef: ref,
    deviceId: deviceOf(ref),
    joinedAt: date(from),
    leftAt: date(to),
    leaveReason,
  });
  const customer = call.direction === 'INBOUND' ? call.createdAt : answeredAt;
  const rows: ParticipantRow[] = [];
  if (customer !== null) {
    rows.push({
      callId,
      kind: 'CUSTOMER',
      joinedAt: date(customer),
      leftAt: date(endedAt),
      leaveReason: 'ENDED',
    });
  }
  if (answeredAt !== null && answeredBy) {
    const until = transfer?.acceptedAt ?? endedAt;
    rows.push(agent(answeredBy, answeredAt - 200, until, transfer ? 'TRANSFERRED' : 'ENDED'));
    if (transfer) rows.push(agent(transfer.to, transfer.acceptedAt - 300, endedAt, 'ENDED'));
    if (monitor) rows.push(agent(monitor.by, monitor.from, monitor.to, 'MONITOR_STOPPED', 'SUPERVISOR'));
  }
  return rows;
}

export function legRows(
  world: EntityIds,
  call: PlannedCall,
  callId: number,
): Prisma.CallLegCreateManyInput[] {
  const { answeredAt, endedAt, stats } = call;
  const leg = (type: string, from: number | null, about: Partial<CallLeg>) => ({
    callId,
    type,
    state: from === null && call.outcome.status === 'FAILED' ? 'FAILED' : 'DISCONNECTED',
    connectedAt: dateOrNull(from),
    disconnectedAt: date(endedAt),
    agentId: about.agentId ?? null,
    deviceId: about.deviceId ?? null,
  });
  const agentRef = call.transfer?.to ?? call.answeredBy ?? (call.dialledAt === null ? null : call.dialledBy);
  const inbound = call.direction === 'INBOUND';
  const customer = leg('CUSTOMER', inbound ? call.createdAt : answeredAt, {});
  const rows = [{ ...customer, ...(stats && answeredAt !== null && { stats: toJson(stats.customer) }) }];
  if (!agentRef) return rows;
  const about = { agentId: world.agents[agentRef], deviceId: deviceOf(agentRef) };
  const agent = leg('AGENT', call.transfer?.acceptedAt ?? answeredAt ?? call.dialledAt, about);
  return [...rows, { ...agent, ...(stats && answeredAt !== null && { stats: toJson(stats.agent) }) }];
}

export function transferRow(
  world: EntityIds,
  { transfer, answeredBy }: PlannedCall,
  callId: number,
): Prisma.CallTransferCreateManyInput[] {
  if (!transfer || !answeredBy) return [];
  const fromAgentId = world.agents[answeredBy];
  return [
    {
      callId,
      fromAgentId,
      toAgentId: world.agents[transfer.to],
      initiatedByAgentId: fromAgentId,
      initiatedByType: 'AGENT',
      transferredAt: date(transfer.at),
      acceptedAt: date(transfer.acceptedAt),
    },
  ];
}

/** With the keys that were pressed; the session's ID is reserved beforehand. */
export function ivrRows(world: EntityIds, { ivr, createdAt }: PlannedCall, callId: number, id: number) {
  if (!ivr) return null;
  const session: Prisma.IvrSessionCreateManyInput = {
    id,
    callId,
    ivrFlowId: world.ivrFlowId,
    completed: ivr.outcome !== 'ABANDONED',
    outcome: ivr.outcome,
    startedAt: date(createdAt + 40),
    endedAt: date(ivr.endedAt),
  };
  const inputs: Prisma.IvrInputCreateManyInput[] = ivr.key
    ? [
        {
          ivrSessionId: id,
          nodeName: welcomeFlow.menuName,
          input: ivr.key.input,
          pressedAt: date(ivr.key.at),
        },
      ]
    : [];
  return { session, inputs };
}
