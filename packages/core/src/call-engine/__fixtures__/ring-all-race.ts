/** A call that rings on fifty devices, all of which are picked up in one moment: set up, run and judged on a real database. */
import { randomUUID } from 'node:crypto';
import type { Database } from '@clarion/db';
import { inviteRequest } from '@clarion/testkit/peers/invite-request';
import { createInboundCall } from '../create-inbound-call.ts';
import { dispatchQueue } from '../dispatch.ts';
import { stepCall } from '../step-call.ts';
import { carrierTrunk } from './carrier-trunk.ts';

export const AGENTS = 10;
export const DEVICES_EACH = 5;

export interface Accept {
  callId: number;
  agentId: number;
  deviceId: string;
  legId: string;
}

export interface Ground {
  queueId: number;
  address: string;
  agentIds: number[];
}

/** A line whose calls wait in a RING_ALL queue of ten agents with five devices each. */
export async function makeGround(db: Database): Promise<Ground> {
  const slug = `race-${randomUUID().slice(0, 8)}`;
  const consumer = await db.consumer.create({ data: { slug, name: slug, planCallsAtOnce: 1_000 } });
  const tenant = await db.tenant.create({ data: { consumerId: consumer.id, ref: 't', name: 'T' } });
  const tenantId = tenant.id;
  const agentIds: number[] = [];
  for (let n = 1; n <= AGENTS; n += 1) {
    const connections = Array.from({ length: DEVICES_EACH }, (_, device) => ({
      socketId: randomUUID(),
      deviceId: `d${device}`,
      nodeId: 'n',
    }));
    const agent = await db.agent.create({
      data: {
        tenantId,
        ref: `a${n}`,
        name: `A${n}`,
        shift: 'AVAILABLE',
        connections: { create: connections },
      },
    });
    agentIds.push(agent.id);
  }
  const queue = await db.queue.create({
    data: {
      tenantId,
      ref: 'all',
      name: 'All',
      strategy: 'RING_ALL',
      members: { create: agentIds.map((agentId) => ({ agentId })) },
    },
  });
  const trunk = await carrierTrunk(db, consumer.id, { ingressLabel: slug });
  const address = '+442079460001';
  await db.channel.create({
    data: {
      tenantId,
      ref: 'main',
      type: 'SIP',
      address,
      sipTrunkId: trunk.id,
      inboundQueueId: queue.id,
    },
  });
  return { queueId: queue.id, address, agentIds };
}

/** A call comes and rings at everybody. @returns what each device will say, all at once */
export async function ringEverybody(db: Database, { queueId, address, agentIds }: Ground): Promise<Accept[]> {
  const question = inviteRequest({ requestUser: address });
  const { answer } = await createInboundCall({ db, ingressDomain: null, nodeId: 'n' }, question, new Date());
  if (answer.action !== 'accept') throw new Error(answer.reason);
  await dispatchQueue(db, queueId, new Date(), { runsEffects: true });
  const { callId } = answer;
  return agentIds.flatMap((agentId) =>
    Array.from({ length: DEVICES_EACH }, (_, device) => ({
      callId,
      agentId,
      deviceId: `d${device}`,
      legId: randomUUID(),
    })),
  );
}

/** @returns whether this device has the call now */
export async function accept(db: Database, { callId, ...who }: Accept): Promise<boolean> {
  const stepped = await stepCall(db, callId, { type: 'accept', ...who }, new Date(), { runsEffects: true });
  return (
    stepped.kind === 'stepped' &&
    stepped.state.phase === 'connecting' &&
    stepped.state.agent.legId === who.legId
  );
}

/**
 * Looks at the rows, then ends the call.
 *
 * @param won the devices that were told that they have the call
 * @returns what is wrong, in words
 */
export async function judge(db: Database, { agentIds }: Ground, won: Accept[]): Promise<string[]> {
  const wrong: string[] = [];
  const [winner] = won;
  if (!winner || won.length !== 1) wrong.push(`${won.length} devices have the call`);
  const held = await db.agent.findMany({
    where: { id: { in: agentIds }, currentCallId: { not: null } },
    select: { id: true, onCall: true },
  });
  if (held.length !== 1 || held[0]?.id !== winner?.agentId || !held[0]?.onCall)
    wrong.push(`the rows hold agents ${held.map(({ id }) => id)}, the call has ${winner?.agentId}`);
  if (!winner) return wrong;
  const { callId } = winner;
  const accepted = await db.callLifecycle.count({ where: { callId, type: 'ACCEPTED' } });
  if (accepted !== 1) wrong.push(`accepted ${accepted} times`);
  await stepCall(db, callId, { type: 'terminate' }, new Date(), { runsEffects: true });
  const still = await db.agent.count({ where: { id: { in: agentIds }, currentCallId: { not: null } } });
  if (still > 0) wrong.push(`${still} agents are held by a call that has ended`);
  const ends = await db.event.count({ where: { callId, type: 'call.ended' } });
  if (ends !== 1) wrong.push(`said to have ended ${ends} times`);
  return wrong;
}
