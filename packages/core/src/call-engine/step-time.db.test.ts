/** Within a call, times never decrease, although its steps use the clocks of several machines. */
import type { Database } from '@clarion/db';
import { createTestDatabase } from '@clarion/db/testing';
import type { TestDatabase } from '@clarion/db/testing';
import type { LegEnd } from '@clarion/protocol/media';
import type { AgentResource } from '@clarion/protocol/v1/tenant/agents';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CallEvent } from '../call-machine/event.ts';
import { accept, makeFixture, ringEverybody } from './__fixtures__/ring-all-race.ts';
import type { RaceFixture } from './__fixtures__/ring-all-race.ts';
import { failRecording } from '../recording/finish-recording.ts';
import { stepCall } from './step-call.ts';

let testDatabase: TestDatabase;
let db: Database;
let fixture: RaceFixture;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  db = testDatabase.connect();
  fixture = await makeFixture(db);
});
afterAll(() => testDatabase.drop());

test('a transfer reported with a lagging clock has the same time in row and event, and ends after it began', async () => {
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

test('an agent who accepts a call whose caller has just hung up is not ON_CALL by the latest event', async () => {
  const [taken] = await ringEverybody(db, fixture);
  if (!taken) throw new Error('the call is not ringing');
  const { callId, agentId, ...device } = taken;
  const now = Date.now();
  await stepCall(db, callId, { type: 'accept', agentId, ...device }, new Date(now + 1_000));
  const { state } = await db.liveCall.findUniqueOrThrow({ where: { callId } });
  const { carrierLegId: legId } = state as { carrierLegId: string };
  const end: LegEnd = {
    cause: 'remote-bye',
    sipStatus: null,
    sipReason: null,
    q850: null,
    provisional: false,
    message: 'BYE',
  };
  // Media noticed it before the agent accepted, and reported it afterwards.
  await stepCall(db, callId, { type: 'leg-ended', legId, end, stats: null }, new Date(now + 900));
  const { ref } = await db.agent.findUniqueOrThrow({ where: { id: agentId } });
  const events = await db.event.findMany({
    where: { type: 'agent.availability_changed' },
    orderBy: { id: 'asc' },
  });
  const own = events
    .map(({ body, occurredAt }) => ({
      at: occurredAt.getTime(),
      agent: (JSON.parse(body) as { data: { agent: AgentResource } }).data.agent,
    }))
    .filter(({ agent }) => agent.ref === ref)
    .slice(-2);
  expect(own.map(({ agent }) => agent.availability)).toEqual(['ON_CALL', 'AVAILABLE']);
  expect(own[1]?.at).toBeGreaterThan(own[0]?.at ?? Infinity);
});

test('whatever the clocks of media, of two nodes and of recordings say, rows and events of a call have the same, increasing times', async () => {
  const [, colleague = 0] = fixture.agentIds;
  const skew = fc.integer({ min: -5_000, max: 5_000 });
  const clocks = fc.record({
    media: skew,
    node: skew,
    otherNode: skew,
    pauses: fc.array(fc.integer({ min: 0, max: 3_000 }), { minLength: 7, maxLength: 7 }),
  });
  await fc.assert(
    fc.asyncProperty(clocks, async ({ media, node, otherNode, pauses }) => {
      const [taken] = await ringEverybody(db, fixture);
      if (!taken) throw new Error('the call is not ringing');
      const { callId, agentId, legId } = taken;
      await accept(db, taken);
      const { state } = await db.liveCall.findUniqueOrThrow({ where: { callId } });
      const { carrierLegId } = state as { carrierLegId: string };
      const connected = (leg: string): CallEvent => ({ type: 'leg-connected', legId: leg, codec: 'PCMA' });
      const to = { kind: 'agent', agentId: colleague, ringTimeoutSeconds: 30 } as const;
      const begun = Date.now();
      const at = (i: number, skewMs: number) =>
        new Date(begun + skewMs + pauses.slice(0, i + 1).reduce((sum, pause) => sum + pause, 0));
      const step = (i: number, event: CallEvent, skewMs: number) =>
        stepCall(db, callId, event, at(i, skewMs));
      await step(0, connected(legId), media);
      await step(1, connected(carrierLegId), media);
      await db.recording.create({ data: { callId, storageKey: `recordings/${callId}` } });
      await failRecording(db, { callId, reason: 'The disk is full.' }, at(2, otherNode));
      await step(3, { type: 'transfer', agentId, to }, node);
      await step(4, { type: 'accept', agentId: colleague, deviceId: 'd', legId: `new-${callId}` }, otherNode);
      await step(5, connected(`new-${callId}`), media);
      await step(6, { type: 'hangup', agentId: colleague }, node);

      const call = await db.call.findUniqueOrThrow({ where: { id: callId } });
      const { acceptedAt } = await db.callTransfer.findFirstOrThrow({ where: { callId } });
      const events = await db.event.findMany({ where: { callId }, orderBy: { sequence: 'asc' } });
      const times = events.map(({ occurredAt }) => occurredAt.getTime());
      expect(times).toEqual([...new Set(times)].toSorted((a, b) => a - b));
      const published = (type: string) => events.find((event) => event.type === type)?.occurredAt;
      expect(call.answeredAt).toEqual(published('call.answered'));
      expect(acceptedAt).toEqual(published('call.transferred'));
      expect(call.endedAt).toEqual(published('call.ended'));
    }),
    { numRuns: 10 },
  );
});
