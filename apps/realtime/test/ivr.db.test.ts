import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { legEndOf } from '@clarion/testkit/peers/fake-media';
import type { FakeMedia } from '@clarion/testkit/peers/fake-media';
import type { AudioAsset, Channel, Prisma, Queue } from '@clarion/db';
import type { Source } from '@clarion/protocol/media';
import type { Realtime } from '../src/server.ts';
import { RealtimeFixture } from './fixture.ts';

let fixture: RealtimeFixture;
let node: Realtime & { url: string };
let media: FakeMedia;
let welcome: AudioAsset;
let hold: AudioAsset;
let flows = 0;

beforeAll(async () => {
  fixture = await RealtimeFixture.create();
  node = await fixture.startNode();
  media = await fixture.media([node]);
  welcome = await sound('welcome');
  hold = await sound('hold');
});
afterAll(() => fixture.close());

const sound = (name: string) =>
  fixture.db.audioAsset.create({
    data: {
      tenantId: fixture.tenant.id,
      name,
      mimeType: 'audio/wav',
      durationSeconds: 2,
      sizeBytes: 1,
      storageProvider: 'local',
      storageKey: name,
      pcm8kKey: `${name}.8k`,
      pcm48kKey: `${name}.48k`,
    },
  });

interface Flow {
  nodes: { id: string; type: string; data?: object }[];
  edges: { source: string; target: string; sourceHandle?: string }[];
}

/** Stored as by the API's verb. */
const flow = (line: Channel, { nodes, edges }: Flow, queues: Queue[] = [], more = {}) => {
  const ref = `f${++flows}`;
  const data = {
    tenantId: fixture.tenant.id,
    ref,
    name: ref,
    channelId: line.id,
    structure: { nodes: nodes.map((each) => ({ data: {}, ...each })), edges } as Prisma.InputJsonValue,
    audioAssets: { create: [{ audioAssetId: welcome.id }] },
    queues: { create: queues.map(({ id }) => ({ queueId: id })) },
    ...more,
  };
  return fixture.db.ivrFlow.create({ data });
};

const start = { id: 's', type: 'ivr_start' };
const menu = (data = {}) => ({
  id: 'm',
  type: 'ivr_menu',
  data: { audioFileId: welcome.id, timeoutSeconds: 1, noInputAction: 'replay', maxReplays: 1, ...data },
});
const toQueue = (queue: Queue, id = 'q') => ({
  id,
  type: 'ivr_transfer',
  data: { targetType: 'queue', targetId: queue.id },
});
const toAgent = (agentId: number, id = 'a') => ({
  id,
  type: 'ivr_transfer',
  data: { targetType: 'agent', targetId: agentId },
});
const next = (source: string, target: string, sourceHandle?: string) => ({
  source,
  target,
  ...(sourceHandle && { sourceHandle }),
});

const ring = (line: Channel) => media.ring({ requestUser: line.address.slice(1) });

const isSound = (asset: AudioAsset) => (sources: Source[]) =>
  sources.some(
    (source) =>
      source.kind === 'audio' && source.clips.some((clip) => 'file' in clip && clip.file === asset.pcm8kKey),
  );

const playIdOf = ([source]: Source[]): string => (source?.kind === 'audio' ? source.playId : '');
const sessionsOf = (callId: number) =>
  fixture.db.ivrSession.findMany({ where: { callId }, include: { inputs: { orderBy: { id: 'asc' } } } });

describe('a line with a flow', () => {
  test('answers, plays the menu, and transfers the caller to a queue whose agent talks to them', async () => {
    const anna = await fixture.agent('anna', { shift: 'AVAILABLE' });
    const queue = await fixture.queue([anna], { holdAudioAssetId: hold.id });
    const line = await fixture.line({});
    await flow(
      line,
      { nodes: [start, menu(), toQueue(queue)], edges: [next('s', 'm'), next('m', 'q', '1')] },
      [queue],
    );
    const { callId, legId } = await ring(line);

    expect(await media.command('carrier:answer', callId)).toMatchObject({ legId });
    const heard = await media.hears(callId, legId, isSound(welcome));
    expect(heard).toMatchObject([{ kind: 'audio', loop: false, clips: [{ file: 'welcome.8k' }] }]);
    await media.pressed(callId, legId, '1');
    expect(await media.hears(callId, legId, isSound(hold))).toMatchObject([{ kind: 'audio', loop: true }]);

    const app = await fixture.app(node, 'anna');
    const incoming = await app.next('call:incoming');
    expect(incoming).toMatchObject({ assignmentType: 'QUEUE', call: { callId } });
    expect(await fixture.db.call.findUnique({ where: { id: callId } })).toMatchObject({
      status: 'RINGING',
      queueRef: queue.ref,
      answeredAt: null,
    });
    const answers = () => media.commands.filter((sent) => sent.command === 'carrier:answer').length;
    const answersBefore = answers();
    await app.ask('call:accept', { callId, sdpOffer: 'offer' });
    await app.next('call:updated', ({ call }) => call.answeredAt !== null);
    expect(answers()).toBe(answersBefore);
    await app.ask('call:hangup', { callId });
    await media.released(callId);
    expect(await fixture.ended(callId)).toMatchObject({
      terminationReason: 'COMPLETED',
      terminatedBy: 'AGENT',
    });
    expect(await sessionsOf(callId)).toMatchObject([
      { completed: true, outcome: 'QUEUE', inputs: [{ nodeName: 'm', input: '1' }] },
    ]);
    expect(await fixture.eventsOf(callId)).toEqual([
      'call.created',
      'call.ringing',
      'call.answered',
      'call.ended',
    ]);
    app.close();
  });

  test('repeats the menu without input, then hangs up: NO_ANSWER by SYSTEM', async () => {
    const line = await fixture.line({});
    await flow(line, { nodes: [start, menu()], edges: [next('s', 'm')] });
    const { callId, legId } = await ring(line);
    const first = playIdOf(await media.hears(callId, legId, isSound(welcome)));
    await media.played(callId, legId, first);
    const again = await media.hears(
      callId,
      legId,
      (sources) => isSound(welcome)(sources) && playIdOf(sources) !== first,
    );
    await media.played(callId, legId, playIdOf(again));
    expect(await fixture.ended(callId)).toMatchObject({
      terminationReason: 'NO_ANSWER',
      terminatedBy: 'SYSTEM',
    });
    expect(await sessionsOf(callId)).toMatchObject([{ completed: false, outcome: 'NO_INPUT', inputs: [] }]);
  });

  test('counts a key that media reports twice once', async () => {
    const line = await fixture.line({});
    const gather = { id: 'g', type: 'ivr_gather', data: { audioFileId: welcome.id, maxDigits: 3 } };
    await flow(line, { nodes: [start, gather], edges: [next('s', 'g')] });
    const { callId, legId } = await ring(line);
    await media.hears(callId, legId, isSound(welcome));
    const at = new Date().toISOString();
    await media.fact('leg:dtmf', { callId, legId, at, digit: '7' });
    await media.fact('leg:dtmf', { callId, legId, at, digit: '7' });
    await media.pressed(callId, legId, '78');
    await fixture.ended(callId);
    const [session] = await sessionsOf(callId);
    expect(session?.inputs.map(({ input }) => input).join('')).toBe('778');
    expect(session).toMatchObject({ completed: true, outcome: 'END' });
  });

  test('the caller hangs up in the menu: CANCELLED by CUSTOMER', async () => {
    const line = await fixture.line({});
    await flow(line, { nodes: [start, menu()], edges: [next('s', 'm')] });
    const { callId, legId } = await ring(line);
    await media.hears(callId, legId, isSound(welcome));
    media.ended(callId, legId, legEndOf('remote-bye'));
    expect(await fixture.ended(callId)).toMatchObject({
      terminationReason: 'CANCELLED',
      terminatedBy: 'CUSTOMER',
    });
    expect(await sessionsOf(callId)).toMatchObject([{ completed: false, outcome: 'ABANDONED' }]);
  });
});

describe('a transfer to an agent', () => {
  test('rings the agent whatever their availability, and they talk', async () => {
    const bert = await fixture.agent('bert', { shift: 'OFFLINE' });
    const line = await fixture.line({});
    await flow(line, { nodes: [start, toAgent(bert.id)], edges: [next('s', 'a')] });
    const app = await fixture.app(node, 'bert');
    const { callId } = await ring(line);
    expect(await app.next('call:incoming')).toMatchObject({ assignmentType: 'DIRECT', call: { callId } });
    await app.ask('call:accept', { callId, sdpOffer: 'offer' });
    await app.next('call:updated', ({ call }) => call.answeredAt !== null);
    await app.ask('call:hangup', { callId });
    expect(await fixture.ended(callId)).toMatchObject({ terminationReason: 'COMPLETED', agentRef: 'bert' });
    expect(await sessionsOf(callId)).toMatchObject([{ completed: true, outcome: 'AGENT' }]);
    app.close();
  });

  test('does not wait for an agent who is not connected: IVR_AGENT_NO_ANSWER by SYSTEM, naming them', async () => {
    const away = await fixture.agent('away', { shift: 'AVAILABLE' });
    const line = await fixture.line({});
    await flow(line, { nodes: [start, toAgent(away.id)], edges: [next('s', 'a')] });
    const { callId } = await ring(line);
    expect(await fixture.ended(callId)).toMatchObject({
      terminationReason: 'IVR_AGENT_NO_ANSWER',
      terminatedBy: 'SYSTEM',
      agentRef: 'away',
    });
    expect(await sessionsOf(callId)).toMatchObject([{ completed: false, outcome: 'AGENT_UNAVAILABLE' }]);
  });

  test('continues by overflow if the agent declines, who is not offered the call again there', async () => {
    const cleo = await fixture.agent('cleo', { shift: 'AVAILABLE' });
    const dan = await fixture.agent('dan', { shift: 'AVAILABLE' });
    const queue = await fixture.queue([cleo, dan], { strategy: 'RING_ALL' });
    const line = await fixture.line({});
    await flow(
      line,
      {
        nodes: [start, toAgent(cleo.id), toQueue(queue)],
        edges: [next('s', 'a'), next('a', 'q', 'overflow')],
      },
      [queue],
    );
    const [cleosApp, dansApp] = [await fixture.app(node, 'cleo'), await fixture.app(node, 'dan')];
    const { callId } = await ring(line);
    await cleosApp.next('call:incoming');
    await cleosApp.ask('call:decline', { callId });
    await dansApp.next('call:incoming');
    expect(await fixture.agentRow(cleo.id)).toMatchObject({ currentCallId: null });
    await dansApp.ask('call:accept', { callId, sdpOffer: 'offer' });
    await dansApp.next('call:updated', ({ call }) => call.answeredAt !== null);
    await dansApp.ask('call:hangup', { callId });
    expect(await fixture.ended(callId)).toMatchObject({ terminationReason: 'COMPLETED', agentRef: 'dan' });
    expect(await sessionsOf(callId)).toMatchObject([{ outcome: 'AGENT' }, { outcome: 'QUEUE' }]);
    cleosApp.close();
    dansApp.close();
  });
});

describe('which flow takes a call', () => {
  const greeting = () => ({ nodes: [start, menu()], edges: [next('s', 'm')] });
  /** The flow of the call's IVR session; null: there was none. */
  const taken = async (line: Channel) => {
    const { callId } = await ring(line);
    const session = await fixture.db.ivrSession.findFirst({ where: { callId } });
    await fixture.terminate(callId);
    await fixture.ended(callId);
    return session?.ivrFlowId ?? null;
  };

  test('depends on the availability of the queue: offline, busy, always, each in turn', async () => {
    const agent = await fixture.agent('only', { shift: 'OFFLINE' });
    const line = await fixture.line({ inboundQueueId: (await fixture.queue([agent])).id });
    const of = async (triggerCondition: 'ALWAYS' | 'ALL_AGENTS_OFFLINE' | 'ALL_AGENTS_BUSY') =>
      (await flow(line, greeting(), [], { triggerCondition })).id;
    const [offline, busy] = [await of('ALL_AGENTS_OFFLINE'), await of('ALL_AGENTS_BUSY')];
    const app = await fixture.app(node, 'only');
    const is = (data: Prisma.AgentUncheckedUpdateInput) =>
      fixture.db.agent.update({ where: { id: agent.id }, data });
    expect(await taken(line)).toBe(offline);
    await is({ onCall: true });
    expect(await taken(line)).toBe(busy);
    await is({ onCall: false, shift: 'AVAILABLE' });
    expect(await taken(line)).toBe(null);
    const always = await of('ALWAYS');
    expect(await taken(line)).toBe(always);
    await fixture.db.ivrFlow.update({ where: { id: always }, data: { status: 'DISABLED' } });
    expect(await taken(line)).toBe(null);
    app.close();
  });

  test('a personal line rings its owner, whatever flow it has', async () => {
    const owner = await fixture.agent('owner');
    const line = await fixture.line({ ownerAgentId: owner.id });
    await flow(line, greeting());
    const app = await fixture.app(node, 'owner');
    expect(await taken(line)).toBe(null);
    expect((await app.next('call:incoming')).assignmentType).toBe('DIRECT');
    app.close();
  });
});

test('of many callers whose flows request one agent concurrently, one rings the agent and the others get no answer', async () => {
  const wanted = await fixture.agent('wanted', { shift: 'AVAILABLE' });
  const line = await fixture.line({});
  await flow(line, { nodes: [start, toAgent(wanted.id)], edges: [next('s', 'a')] });
  const app = await fixture.app(node, 'wanted');
  const calls = await Promise.all(Array.from({ length: 8 }, () => ring(line)));
  const { callId: ringing } = (await app.next('call:incoming')).call;
  const others = calls.filter(({ callId }) => callId !== ringing);
  for (const { callId } of others)
    expect(await fixture.ended(callId)).toMatchObject({ terminationReason: 'IVR_AGENT_NO_ANSWER' });
  expect(await fixture.agentRow(wanted.id)).toMatchObject({ currentCallId: ringing });
  await app.ask('call:decline', { callId: ringing });
  expect(await fixture.ended(ringing)).toMatchObject({ terminationReason: 'IVR_AGENT_NO_ANSWER' });
  expect(await fixture.agentRow(wanted.id)).toMatchObject({ currentCallId: null });
  app.close();
});
