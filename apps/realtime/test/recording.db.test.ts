/** What realtime does about recordings: by the line's policy, paused by whoever has the call, and what media says of them later. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FakeMedia } from '@clarion/testkit/peers/fake-media';
import type { MediaCommandPayload } from '@clarion/protocol/media';
import type { Realtime } from '../src/server.ts';
import type { AppSocket } from './app-socket.ts';
import { World } from './world.ts';

let world: World;
let node: Realtime & { url: string };
let media: FakeMedia;
let anna: AppSocket;
let bert: AppSocket;
let lines: Record<'recorded' | 'quiet', string>;

beforeAll(async () => {
  world = await World.create();
  node = await world.startNode();
  media = await world.media([node]);
  const agent = await world.agent('anna', { shift: 'AVAILABLE' });
  await world.agent('bert');
  const inboundQueueId = (await world.queue([agent])).id;
  await world.db.consumer.update({ where: { id: world.consumer.id }, data: { recordingEnabled: true } });
  lines = {
    recorded: (await world.line({ inboundQueueId })).address,
    quiet: (await world.line({ inboundQueueId, recordingEnabled: false })).address,
  };
  anna = await world.app(node, 'anna');
  bert = await world.app(node, 'bert');
});
afterAll(() => world.close());

async function talk(address: string): Promise<{ callId: number; customer: string; agent: string }> {
  anna.forget();
  const { answer, question } = await media.invite({ requestUser: address.slice(1) });
  if (answer.action !== 'accept') throw new Error('refused');
  const { callId } = answer;
  await anna.next('call:incoming');
  await anna.ask('call:accept', { callId, sdpOffer: 'offer' });
  await anna.next('call:updated', ({ call }) => call.answeredAt !== null);
  const { legId: agent } = await media.command('agent:connect', callId);
  return { callId, customer: question.legId, agent };
}

async function end(callId: number): Promise<void> {
  await anna.ask('call:hangup', { callId });
  await world.ended(callId);
}

const recordingOf = (callId: number) => world.db.recording.findUnique({ where: { callId } });
type Recorded = MediaCommandPayload<'call:route'>['record'];
/** What media is told to record, by the newest route that fits. */
const routed = async (callId: number, fits: (record: Recorded) => boolean = () => true) =>
  (await media.command('call:route', callId, ({ record }) => fits(record))).record;

const logOf = async (callId: number) =>
  (await world.db.callLifecycle.findMany({ where: { callId }, orderBy: { id: 'asc' } }))
    .map(({ type }) => type)
    .filter((type) => type.startsWith('RECORDING'));

test('an answered call of a recorded line is recorded: its row, its log, and what media is told', async () => {
  const { callId, customer, agent } = await talk(lines.recorded);
  const row = await recordingOf(callId);
  expect(row).toMatchObject({ status: 'RECORDING', mediaNodeId: media.nodeId, storageProvider: null });
  expect(await routed(callId)).toEqual({
    left: [customer],
    right: [agent],
    paused: false,
    storageKey: row?.storageKey,
  });
  expect(row?.storageKey).toMatch(
    new RegExp(`^tenants/${world.tenant.id}/recordings/.+/call-${callId}\\.ogg$`),
  );

  await anna.ask('call:hold', { callId, held: true });
  expect(await routed(callId, (record) => record?.right.length === 0)).toMatchObject({ left: [customer] });
  await anna.ask('call:hold', { callId, held: false });

  await end(callId);
  expect(await recordingOf(callId)).toMatchObject({ status: 'PROCESSING' });
  expect(await logOf(callId)).toEqual(['RECORDING_STARTED']);
});

test('only the agent who has the call pauses and resumes; saying it twice changes nothing', async () => {
  const { callId } = await talk(lines.recorded);
  await expect(bert.ask('call:record', { callId, paused: true })).rejects.toThrow('invalid_state');
  const { call } = await anna.ask('call:record', { callId, paused: true });
  expect(call.recording).toBe('PAUSED');
  await routed(callId, (record) => record?.paused === true);
  await anna.ask('call:record', { callId, paused: true });
  expect((await anna.ask('call:record', { callId, paused: false })).call.recording).toBe('ON');
  await routed(callId, (record) => record?.paused === false);
  expect(await logOf(callId)).toEqual(['RECORDING_STARTED', 'RECORDING_PAUSED', 'RECORDING_RESUMED']);
  await end(callId);
  await expect(anna.ask('call:record', { callId, paused: true })).rejects.toThrow('call_ended');
});

test('a line that does not want it is not recorded, and there is nothing to pause', async () => {
  const { callId } = await talk(lines.quiet);
  expect(await routed(callId)).toBeNull();
  await expect(anna.ask('call:record', { callId, paused: true })).rejects.toThrow('invalid_state');
  await end(callId);
  expect(await recordingOf(callId)).toBeNull();
  expect(await logOf(callId)).toEqual([]);
});

test('media says that a recording is there, and again: it completes once', async () => {
  const { callId, customer } = await talk(lines.recorded);
  await end(callId);
  const { storageKey } = (await recordingOf(callId)) ?? {};
  const fact = {
    callId,
    legId: customer,
    at: new Date().toISOString(),
    storageProvider: 'local' as const,
    storageKey: storageKey ?? '',
    sizeBytes: 5_000,
    durationMs: 4_400,
  };
  await media.fact('recording:finished', fact);
  await media.fact('recording:finished', fact);
  expect(await recordingOf(callId)).toMatchObject({
    status: 'COMPLETED',
    durationSeconds: 4,
    sizeBytes: 5_000,
  });
  expect((await world.eventsOf(callId)).slice(-2)).toEqual(['call.ended', 'recording.completed']);
});

test('media says that a recording will not come: it failed, in words', async () => {
  const { callId, customer } = await talk(lines.recorded);
  await end(callId);
  const reason = 'The disk of the media node is full.';
  await media.fact('recording:failed', { callId, legId: customer, at: new Date().toISOString(), reason });
  expect(await recordingOf(callId)).toMatchObject({ status: 'FAILED', failureReason: reason });
  expect((await world.eventsOf(callId)).at(-1)).toBe('recording.failed');
});

test('a call that is deleted while its recording is on the way takes the file along', async () => {
  const { callId, customer } = await talk(lines.recorded);
  await end(callId);
  const { storageKey = '' } = (await recordingOf(callId)) ?? {};
  await world.db.recording.delete({ where: { callId } });
  await media.fact('recording:finished', {
    callId,
    legId: customer,
    at: new Date().toISOString(),
    storageProvider: 's3',
    storageKey: storageKey ?? '',
    sizeBytes: 5_000,
    durationMs: 4_400,
  });
  const jobs = await world.db.$queryRaw<{ payload: unknown }[]>`
    select j.payload from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
    where t.identifier = 'remove-file'`;
  expect(jobs).toEqual([{ payload: { provider: 's3', key: storageKey } }]);
});
