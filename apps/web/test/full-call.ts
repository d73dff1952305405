/** Calls with all the data that a call can have, for tests of what remains after a deletion. */
import { randomUUID } from 'node:crypto';
import { putBytes } from '@clarion/store/file-bytes';
import { recordingKey } from '@clarion/store/file-key';
import type { StoredFile } from '@clarion/store/driver';
import { call } from './support.ts';
import type { Web } from './support.ts';
import type { TenantFixture } from './tenant-fixture.ts';

export interface FullCall {
  callId: number;
  /** The recording's file. */
  file: StoredFile;
  idempotencyKey: string;
}

/** Unique texts of the customer: a search for them finds data that was not erased. */
export const secretWords = ['+442079460123', 'Grace Secret', 'secret-ref', 'secret-metadata'] as const;
const [firstAddress, name, externalRef, metadata] = secretWords;

/** An outbound call of tenant `shop`, ended, recorded, with an IVR session, a transfer and a stored response. */
export async function fullCall(
  web: Web,
  fixture: TenantFixture,
  { address = firstAddress }: { address?: string } = {},
): Promise<FullCall> {
  const { db, store } = web.runtime;
  const idempotencyKey = randomUUID();
  const { callId } = (
    await call('createCall', {
      key: fixture.key,
      path: { tenantRef: 'shop' },
      headers: { 'idempotency-key': idempotencyKey },
      body: {
        channel_ref: 'main',
        agent_ref: 'ada',
        customer: { address, name },
        external_ref: externalRef,
        consumer_metadata: { note: metadata },
      },
    })
  ).json.call;
  await call('terminateCall', { key: fixture.key, path: { callId } });
  const { tenantId, agentId } = await db.call.findUniqueOrThrow({ where: { id: callId } });
  const at = new Date('2026-01-05T09:00:00.000Z');
  const later = (seconds: number) => new Date(at.getTime() + seconds * 1000);
  await db.call.update({
    where: { id: callId },
    data: { failureDetails: { sipStatus: 486, sipReason: name, q850: null, message: `${address} is busy` } },
  });
  await db.callLeg.upsert({
    where: { callId_type: { callId, type: 'CUSTOMER' } },
    create: { callId, type: 'CUSTOMER', state: 'DISCONNECTED', stats: { remote: address } },
    update: { stats: { remote: address } },
  });
  await db.callParticipant.create({ data: { callId, kind: 'CUSTOMER', joinedAt: at } });
  await db.callLifecycle.create({
    data: { callId, type: 'DTMF_SENT', occurredAt: at, metadata: { digits: '4242', to: address } },
  });
  await db.callTransfer.create({
    data: { callId, fromAgentId: agentId, toQueueId: 1, initiatedByType: 'AGENT', transferredAt: at },
  });
  await db.ivrSession.create({
    data: {
      callId,
      ivrFlowId: 9,
      completed: true,
      outcome: 'QUEUE',
      startedAt: at,
      endedAt: later(12),
      inputs: { create: [{ nodeName: 'menu', input: '4', pressedAt: later(5) }] },
    },
  });
  const file = await putBytes(store, recordingKey(tenantId, callId, randomUUID()), Buffer.from('OggS sound'));
  await db.recording.create({
    data: {
      callId,
      status: 'COMPLETED',
      storageProvider: file.provider,
      storageKey: file.key,
      sizeBytes: 10,
      durationSeconds: 63,
      createdAt: at,
      completedAt: later(70),
    },
  });
  await db.usageRecord.create({
    data: {
      consumerId: (await db.call.findUniqueOrThrow({ where: { id: callId } })).consumerId,
      tenantId,
      tenantRef: 'shop',
      callId,
      kind: 'RECORDING',
      seconds: 63,
      createdAt: at,
    },
  });
  return { callId, file, idempotencyKey };
}

/** The tables that contain the customer's texts, with the number of rows. Empty: nothing remains. */
export async function whereWordsAre(web: Web, words: readonly string[] = secretWords): Promise<string[]> {
  const { db } = web.runtime;
  const tables = await db.$queryRaw<{ name: string }[]>`
    select format('%I.%I', table_schema, table_name) as name from information_schema.tables
    where table_schema in ('public', 'graphile_worker') and table_type = 'BASE TABLE'`;
  const found: string[] = [];
  for (const { name: table } of tables) {
    for (const word of words) {
      const [row] = await db.$queryRawUnsafe<{ count: number }[]>(
        `select count(*)::int as count from ${table} t where strpos(t::text, $1) > 0`,
        word,
      );
      if (row && row.count > 0) found.push(`${table} has ${word} in ${row.count}`);
    }
  }
  return found;
}
