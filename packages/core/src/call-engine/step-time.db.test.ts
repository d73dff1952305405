/** Within a call, times never decrease, although its steps use the clocks of several machines. */
import type { Database } from '@clarion/db';
import { createTestDatabase } from '@clarion/db/testing';
import type { TestDatabase } from '@clarion/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CallEvent } from '../call-machine/event.ts';
import { accept, makeFixture, ringEverybody } from './__fixtures__/ring-all-race.ts';
import { stepCall } from './step-call.ts';

let testDatabase: TestDatabase;
let db: Database;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  db = testDatabase.connect();
});
afterAll(() => testDatabase.drop());

test('a transfer reported with a lagging clock has the same time in row and event, and ends after it began', async () => {
  const fixture = await makeFixture(db);
  const [taken] = await ringEverybody(db, fixture);
  const [, colleague = 0] = fixture.agentIds;
  if (!taken) throw new Error('the call is not ringing');
  const { callId, agentId, legId } = taken;
  await accept(db, taken);
  const { state } = await db.liveCall.findUniqueOrThrow({ where: { callId } });
  const { carrierLegId } = state as { carrierLegId: string };
  const now = Date.now();
  const stands = (leg: string): CallEvent => ({ type: 'leg-connected', legId: leg, codec: 'PCMA' });
  const to = { kind: 'agent', agentId: colleague, ringTimeoutSeconds: 30 } as const;
  const history: [CallEvent, number][] = [
    [stands(legId), now],
    [stands(carrierLegId), now + 10_000],
    [{ type: 'transfer', agentId, to }, now + 20_000],
    [{ type: 'accept', agentId: colleague, deviceId: 'd', legId: 'new' }, now + 25_000],
    // Media's clock is slow by more than the duration of the audio, and media also reports the customer's hang-up.
    [stands('new'), now + 5_000],
    [{ type: 'hangup', agentId: colleague }, now + 6_000],
  ];
  for (const [event, at] of history) await stepCall(db, callId, event, new Date(at));
  const call = await db.call.findUniqueOrThrow({ where: { id: callId } });
  const { acceptedAt } = await db.callTransfer.findFirstOrThrow({ where: { callId } });
  const said = async (type: string) => (await db.event.findFirst({ where: { callId, type } }))?.occurredAt;
  expect(call.answeredAt).toEqual(await said('call.answered'));
  expect(acceptedAt).toEqual(await said('call.transferred'));
  expect(call.endedAt).toEqual(await said('call.ended'));
  expect(Number(acceptedAt)).toBeGreaterThan(Number(call.answeredAt));
  expect(Number(call.endedAt)).toBeGreaterThan(Number(acceptedAt));
});
