import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { legEndOf } from '@clarion/testkit/peers/fake-media';
import type { FakeMedia } from '@clarion/testkit/peers/fake-media';
import type { AudioAsset, Channel, Prisma, Queue } from '@clarion/db';
import type { Source } from '@clarion/protocol/media';
import type { Realtime } from '../src/server.ts';
import { World } from './world.ts';

let world: World;
let node: Realtime & { url: string };
let media: FakeMedia;
let welcome: AudioAsset;
let hold: AudioAsset;
let flows = 0;

beforeAll(async () => {
  world = await World.create();
  node = await world.startNode();
  media = await world.media([node]);
  welcome = await sound('welcome');
  hold = await sound('hold');
});
afterAll(() => world.close());

const sound = (name: string) =>
  world.db.audioAsset.create({
    data: {
      tenantId: world.tenant.id,
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

/** As the API's verb stores it. */
const flow = (line: Channel, { nodes, edges }: Flow, queues: Queue[] = [], more = {}) => {
  const ref = `f${++flows}`;
  const data = {
    tenantId: world.tenant.id,
    ref,
    name: ref,
    channelId: line.id,
    structure: { nodes: nodes.map((each) => ({ data: {}, ...each })), edges } as Prisma.InputJsonValue,
    audioAssets: { create: [{ audioAssetId: welcome.id }] },
    queues: { create: queues.map(({ id }) => ({ queueId: id })) },
    ...more,
  };
  return world.db.ivrFlow.create({ data });
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
  world.db.ivrSession.findMany({ where: { callId }, include: { inputs: { orderBy: { id: 'asc' } } } });

describe('a line with a flow', () => {
  test('answers, plays the menu, and hands the caller over to a queue whose agent talks to them', async () => {
    const anna = await world.agent('anna', { shift: 'AVAILABLE' });
    const queue = await world.queue([anna], { holdAudioAssetId: hold.id });
    const line = await world.line({});
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

    const app = await world.app(node, 'anna');
    const incoming = await app.next('call:incoming');
    expect(incoming).toMatchObject({ assignmentType: 'QUEUE', call: { callId } });
    expect(await world.db.call.findUnique({ where: { id: callId } })).toMatchObject({
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
    expect(await world.ended(callId)).toMatchObject({
      terminationReason: 'COMPLETED',
      terminatedBy: 'AGENT',
    });
    expect(await sessionsOf(callId)).toMatchObject([
      { completed: true, outcome: 'QUEUE', inputs: [{ nodeName: 'm', input: '1' }] },
    ]);
    expect(await world.eventsOf(callId)).toEqual([
      'call.created',
      'call.ringing',
      'call.answered',
      'call.ended',
    ]);
    app.close();
  });

  test('plays the menu again when nobody presses anything, then hangs up: NO_ANSWER by SYSTEM', async () => {
    const line = await world.line({});
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
    expect(await world.ended(callId)).toMatchObject({
      terminationReason: 'NO_ANSWER',
      terminatedBy: 'SYSTEM',
    });
    expect(await sessionsOf(callId)).toMatchObject([{ completed: false, outcome: 'NO_INPUT', inputs: [] }]);
  });

  test('keeps a key that media reports twice as one', async () => {
    const line = await world.line({});
    const gather = { id: 'g', type: 'ivr_gather', data: { audioFileId: welcome.id, maxDigits: 3 } };
    await flow(line, { nodes: [start, gather], edges: [next('s', 'g')] });
    const { callId, legId } = await ring(line);
    await media.hears(callId, legId, isSound(welcome));
    const at = new Date().toISOString();
    await media.fact('leg:dtmf', { callId, legId, at, digit: '7' });
    await media.fact('leg:dtmf', { callId, legId, at, digit: '7' });
    await media.pressed(callId, legId, '78');
    await world.ended(callId);
    const [session] = await sessionsOf(callId);
    expect(session?.inputs.map(({ input }) => input).join('')).toBe('778');
    expect(session).toMatchObject({ completed: true, outcome: 'END' });
  });

  test('the caller hangs up in the menu: CANCELLED by CUSTOMER', async () => {
    const line = await world.line({});
    await flow(line, { nodes: [start, menu()], edges: [next('s', 'm')] });
    const { callId, legId } = await ring(line);
    await media.hears(callId, legId, isSound(welcome));
    media.ended(callId, legId, legEndOf('remote-bye'));
    expect(await world.ended(callId)).toMatchObject({
      terminationReason: 'CANCELLED',
      terminatedBy: 'CUSTOMER',
    });
    expect(await sessionsOf(callId)).toMatchObject([{ completed: false, outcome: 'ABANDONED' }]);
  });
});

describe('a transfer to an agent', () => {
  test('rings the agent whatever their availability, and they talk', async () => {
    const bert = await world.agent('bert', { shift: 'OFFLINE' });
    const line = await world.line({});
    await flow(line, { nodes: [start, toAgent(bert.id)], edges: [next('s', 'a')] });
    const app = await world.app(node, 'bert');
    const { callId } = await ring(line);
    expect(await app.next('call:incoming')).toMatchObject({ assignmentType: 'DIRECT', call: { callId } });
    await app.ask('call:accept', { callId, sdpOffer: 'offer' });
    await app.next('call:updated', ({ call }) => call.answeredAt !== null);
    await app.ask('call:hangup', { callId });
    expect(await world.ended(callId)).toMatchObject({ terminationReason: 'COMPLETED', agentRef: 'bert' });
    expect(await sessionsOf(callId)).toMatchObject([{ completed: true, outcome: 'AGENT' }]);
    app.close();
  });

  test('who is not there is not waited for: IVR_AGENT_NO_ANSWER by SYSTEM, naming them', async () => {
    const away = await world.agent('away', { shift: 'AVAILABLE' });
    const line = await world.line({});
    await flow(line, { nodes: [start, toAgent(away.id)], edges: [next('s', 'a')] });
    const { callId } = await ring(line);
    expect(await world.ended(callId)).toMatchObject({
      terminationReason: 'IVR_AGENT_NO_ANSWER',
      terminatedBy: 'SYSTEM',
      agentRef: 'away',
    });
    expect(await sessionsOf(callId)).toMatchObject([{ completed: false, outcome: 'AGENT_UNAVAILABLE' }]);
  });

  test('who declines sends the caller on by overflow, and is not asked again there', async () => {
    const cleo = await world.agent('cleo', { shift: 'AVAILABLE' });
    const dan = await world.agent('dan', { shift: 'AVAILABLE' });
    const queue = await world.queue([cleo, dan], { strategy: 'RING_ALL' });
    const line = await world.line({});
    await flow(
      line,
      {
        nodes: [start, toAgent(cleo.id), toQueue(queue)],
        edges: [next('s', 'a'), next('a', 'q', 'overflow')],
      },
      [queue],
    );
    const [cleosApp, dansApp] = [await world.app(node, 'cleo'), await world.app(node, 'dan')];
    const { callId } = await ring(line);
    await cleosApp.next('call:incoming');
    await cleosApp.ask('call:decline', { callId });
    await dansApp.next('call:incoming');
    expect(await world.agentRow(cleo.id)).toMatchObject({ currentCallId: null });
    await dansApp.ask('call:accept', { callId, sdpOffer: 'offer' });
    await dansApp.next('call:updated', ({ call }) => call.answeredAt !== null);
    await dansApp.ask('call:hangup', { callId });
    expect(await world.ended(callId)).toMatchObject({ terminationReason: 'COMPLETED', agentRef: 'dan' });
    expect(await sessionsOf(callId)).toMatchObject([{ outcome: 'AGENT' }, { outcome: 'QUEUE' }]);
    cleosApp.close();
    dansApp.close();
  });
});

describe('which flow takes a call', () => {
  const greeting = () => ({ nodes: [start, menu()], edges: [next('s', 'm')] });
  /** The flow of the call's walk; null: none took it. */
  const taken = async (line: Channel) => {
    const { callId } = await ring(line);
    const session = await world.db.ivrSession.findFirst({ where: { callId } });
    await world.terminate(callId);
    await world.ended(callId);
    return session?.ivrFlowId ?? null;
  };

  test('is decided by who of the queue is there: offline, busy, always, each asked in turn', async () => {
    const agent = await world.agent('only', { shift: 'OFFLINE' });
    const line = await world.line({ inboundQueueId: (await world.queue([agent])).id });
    const of = async (triggerCondition: 'ALWAYS' | 'ALL_AGENTS_OFFLINE' | 'ALL_AGENTS_BUSY') =>
      (await flow(line, greeting(), [], { triggerCondition })).id;
    const [offline, busy] = [await of('ALL_AGENTS_OFFLINE'), await of('ALL_AGENTS_BUSY')];
    const app = await world.app(node, 'only');
    const is = (data: Prisma.AgentUncheckedUpdateInput) =>
      world.db.agent.update({ where: { id: agent.id }, data });
    expect(await taken(line)).toBe(offline);
    await is({ onCall: true });
    expect(await taken(line)).toBe(busy);
    await is({ onCall: false, shift: 'AVAILABLE' });
    expect(await taken(line)).toBe(null);
    const always = await of('ALWAYS');
    expect(await taken(line)).toBe(always);
    await world.db.ivrFlow.update({ where: { id: always }, data: { status: 'DISABLED' } });
    expect(await taken(line)).toBe(null);
    app.close();
  });

  test('a personal line rings its owner, whatever flow it has', async () => {
    const owner = await world.agent('owner');
    const line = await world.line({ ownerAgentId: owner.id });
    await flow(line, greeting());
    const app = await world.app(node, 'owner');
    expect(await taken(line)).toBe(null);
    expect((await app.next('call:incoming')).assignmentType).toBe('DIRECT');
    app.close();
  });
});

test('of many callers whose flows name one agent at once, one rings; the others are told nobody answers', async () => {
  const wanted = await world.agent('wanted', { shift: 'AVAILABLE' });
  const line = await world.line({});
  await flow(line, { nodes: [start, toAgent(wanted.id)], edges: [next('s', 'a')] });
  const app = await world.app(node, 'wanted');
  const calls = await Promise.all(Array.from({ length: 8 }, () => ring(line)));
  const { callId: ringing } = (await app.next('call:incoming')).call;
  const others = calls.filter(({ callId }) => callId !== ringing);
  for (const { callId } of others)
    expect(await world.ended(callId)).toMatchObject({ terminationReason: 'IVR_AGENT_NO_ANSWER' });
  expect(await world.agentRow(wanted.id)).toMatchObject({ currentCallId: ringing });
  await app.ask('call:decline', { callId: ringing });
  expect(await world.ended(ringing)).toMatchObject({ terminationReason: 'IVR_AGENT_NO_ANSWER' });
  expect(await world.agentRow(wanted.id)).toMatchObject({ currentCallId: null });
  app.close();
});
