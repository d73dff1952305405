/** Recordings in realtime: the line's policy, pausing by the agent, and the result reported by media. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FakeMedia } from '@clarion/testkit/peers/fake-media';
import type { MediaCommandPayload } from '@clarion/protocol/media';
import type { Realtime } from '../src/server.ts';
import type { AppSocket } from './app-socket.ts';
import { RealtimeFixture } from './fixture.ts';

let fixture: RealtimeFixture;
let node: Realtime & { url: string };
let media: FakeMedia;
let anna: AppSocket;
let bert: AppSocket;
let lines: Record<'recorded' | 'quiet', string>;

beforeAll(async () => {
  fixture = await RealtimeFixture.create();
  node = await fixture.startNode();
  media = await fixture.media([node]);
  const agent = await fixture.agent('anna', { shift: 'AVAILABLE' });
  await fixture.agent('bert');
  const inboundQueueId = (await fixture.queue([agent])).id;
  await fixture.db.consumer.update({ where: { id: fixture.consumer.id }, data: { recordingEnabled: true } });
  lines = {
    recorded: (await fixture.line({ inboundQueueId })).address,
    quiet: (await fixture.line({ inboundQueueId, recordingEnabled: false })).address,
  };
  anna = await fixture.app(node, 'anna');
  bert = await fixture.app(node, 'bert');
});
afterAll(() => fixture.close());

async function talk(address: string): Promise<{ callId: number; customer: string; agent: string }> {
  anna.clearReceived();
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
  await fixture.ended(callId);
}

const recordingOf = (callId: number) => fixture.db.recording.findUnique({ where: { callId } });
type Recorded = MediaCommandPayload<'call:route'>['record'];
/** What media records according to the newest matching route. */
const routed = async (callId: number, fits: (record: Recorded) => boolean = () => true) =>
  (await media.command('call:route', callId, ({ record }) => fits(record))).record;

const logOf = async (callId: number) =>
  (await fixture.db.callLifecycle.findMany({ where: { callId }, orderBy: { id: 'asc' } }))
    .map(({ type }) => type)
    .filter((type) => type.startsWith('RECORDING'));

test('an answered call of a recorded line is recorded: its row, its log, and the command to media', async () => {
  const { callId, customer, agent } = await talk(lines.recorded);
  const row = await recordingOf(callId);
  expect(row).toMatchObject({ status: 'RECORDING', mediaNodeId: media.nodeId, storageProvider: null });
  expect(await routed(callId, (record) => record !== null)).toEqual({
    left: [customer],
    right: [agent],
    paused: false,
    storageKey: row?.storageKey,
  });
  expect(row?.storageKey).toMatch(
    new RegExp(`^tenants/${fixture.tenant.id}/recordings/.+/call-${callId}\\.ogg$`),
  );

  await anna.ask('call:hold', { callId, held: true });
  expect(await routed(callId, (record) => record?.right.length === 0)).toMatchObject({ left: [customer] });
  await anna.ask('call:hold', { callId, held: false });

  await end(callId);
  expect(await recordingOf(callId)).toMatchObject({ status: 'PROCESSING' });
  expect(await logOf(callId)).toEqual(['RECORDING_STARTED']);
});

test('only the agent who has the call can pause and resume, and a repetition changes nothing', async () => {
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

test('a line without recording is not recorded, and there is nothing to pause', async () => {
  const { callId } = await talk(lines.quiet);
  const routes = media.commands.filter(
    (sent) => sent.command === 'call:route' && sent.payload.callId === callId,
  );
  expect(routes).toEqual([]);
  await expect(anna.ask('call:record', { callId, paused: true })).rejects.toThrow('invalid_state');
  await end(callId);
  expect(await recordingOf(callId)).toBeNull();
  expect(await logOf(callId)).toEqual([]);
});

test('media reports a recording twice, and it completes once', async () => {
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
  expect((await fixture.eventsOf(callId)).slice(-2)).toEqual(['call.ended', 'recording.completed']);
});

test('media reports that a recording failed, and its row has the reason', async () => {
  const { callId, customer } = await talk(lines.recorded);
  await end(callId);
  const reason = 'The disk of the media node is full.';
  await media.fact('recording:failed', { callId, legId: customer, at: new Date().toISOString(), reason });
  expect(await recordingOf(callId)).toMatchObject({ status: 'FAILED', failureReason: reason });
  expect((await fixture.eventsOf(callId)).at(-1)).toBe('recording.failed');
});

test('if a call is deleted before its recording arrives, the file is deleted too', async () => {
  const { callId, customer } = await talk(lines.recorded);
  await end(callId);
  const { storageKey = '' } = (await recordingOf(callId)) ?? {};
  await fixture.db.recording.delete({ where: { callId } });
  await media.fact('recording:finished', {
    callId,
    legId: customer,
    at: new Date().toISOString(),
    storageProvider: 's3',
    storageKey: storageKey ?? '',
    sizeBytes: 5_000,
    durationMs: 4_400,
  });
  const jobs = await fixture.db.$queryRaw<{ payload: unknown }[]>`
    select j.payload from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
    where t.identifier = 'remove-file'`;
  expect(jobs).toEqual([{ payload: { provider: 's3', key: storageKey } }]);
});
