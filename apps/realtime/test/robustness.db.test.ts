/** Processes that die, a database that goes away, a media node that is lost: the call goes on, or ends once and says why. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { stepCall } from '@clarion/core/call-engine/step-call';
import { legEndOf } from '@clarion/testkit/peers/fake-media';
import type { FakeMedia } from '@clarion/testkit/peers/fake-media';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AppSocket } from './app-socket.ts';
import { MASTER_KEY, MEDIA_SECRET, World } from './world.ts';

/** Heartbeat, death after 6 s, a round of housekeeping: the slowest of these is well within it. */
const SLOW_MS = 45_000;
const mainFile = fileURLToPath(new URL('../src/main.ts', import.meta.url));

let world: World;
const children = new Set<ChildProcess>();

beforeEach(async () => {
  world = await World.create();
});
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
  await world.close();
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || !address) throw new Error('no port');
  return address.port;
}

/** A realtime process of its own, so that it can be killed. */
async function startProcess(port: number): Promise<{ url: string; kill: () => Promise<void> }> {
  const child = spawn(process.execPath, [mainFile], {
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: world.databaseUrl,
      CLARION_REALTIME_PORT: String(port),
      CLARION_MASTER_KEY: MASTER_KEY,
      CLARION_MEDIA_SECRET: MEDIA_SECRET,
      CLARION_LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  children.add(child);
  const url = `http://127.0.0.1:${port}`;
  await world.until(async () => {
    const response = await fetch(`${url}/healthz`).catch(() => undefined);
    return response?.ok ? true : undefined;
  }, 'realtime to be healthy');
  return {
    url,
    async kill() {
      children.delete(child);
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

/** A conversation through this node: an agent, a line and a customer. */
async function talk(node: { url: string }, media: FakeMedia) {
  const agent = await world.agent('anna', { shift: 'AVAILABLE' });
  const line = await world.line({ inboundQueueId: (await world.queue([agent])).id });
  const app = await world.app(node, 'anna');
  const { answer, question } = await media.invite({ requestUser: line.address });
  if (answer.action !== 'accept') throw new Error(answer.reason);
  const { callId } = answer;
  await app.next('call:incoming');
  await app.ask('call:accept', { callId, sdpOffer: 'offer' });
  await app.next('call:updated', ({ call }) => call.answeredAt !== null);
  return { agent, app, callId, legId: question.legId };
}

async function expectOneEnding(callId: number): Promise<void> {
  expect(await world.eventsOf(callId)).toEqual([
    'call.created',
    'call.ringing',
    'call.answered',
    'call.ended',
  ]);
  expect(await world.db.agent.count({ where: { currentCallId: callId } })).toBe(0);
}

describe('SIGKILL of realtime mid-call', () => {
  test(
    'the audio goes on; the agent comes back to the call; it ends once with its right duration',
    async () => {
      const port = await freePort();
      const first = await startProcess(port);
      const media = await world.media([first]);
      const { callId, legId, agent } = await talk(first, media);
      await first.kill();
      expect(media.legsOf(callId)).toHaveLength(2);
      await startProcess(port);
      const app = await world.app(first, agent.ref);
      expect((await app.next('session')).calls).toMatchObject([{ callId, state: 'active' }]);
      expect(media.legsOf(callId)).toHaveLength(2);
      media.ended(callId, legId, legEndOf('remote-bye'));
      const call = await world.ended(callId);
      expect(call).toMatchObject({ terminationReason: 'COMPLETED', terminatedBy: 'CUSTOMER' });
      await media.released(callId);
      await expectOneEnding(callId);
    },
    SLOW_MS,
  );

  test(
    'the customer hangs up while nobody is there: the call ends at that moment, not when it is learned',
    async () => {
      const port = await freePort();
      const first = await startProcess(port);
      const media = await world.media([first]);
      const { callId, legId } = await talk(first, media);
      await first.kill();
      const hungUp = new Date();
      media.ended(callId, legId, legEndOf('remote-bye'), hungUp);
      await startProcess(port);
      const call = await world.ended(callId);
      expect(call.endedAt).toEqual(hungUp);
      await media.released(callId);
      await expectOneEnding(callId);
    },
    SLOW_MS,
  );
});

describe('two nodes', () => {
  test(
    'one dies: the other takes the timers over, offers its waiting calls and runs what it left undone',
    async () => {
      const dying = await startProcess(await freePort());
      const staying = await world.startNode();
      const mediaOfDying = await world.media([dying, staying]);
      const agent = await world.agent('bert');
      const queue = await world.queue([agent], { maxWaitSeconds: 10 });
      const line = await world.line({ inboundQueueId: queue.id });
      const app = await world.app(staying, 'bert');
      const waiting = await mediaOfDying.invite({ requestUser: line.address });
      if (waiting.answer.action !== 'accept') throw new Error(waiting.answer.reason);
      await dying.kill();
      // Its last step was committed, and nobody ran the effects: a process that died in between.
      const { callId } = waiting.answer;
      await app.ask('availability:set', { status: 'AVAILABLE' });
      await app.next('call:incoming');
      await stepCall(world.db, callId, { type: 'decline', agentId: agent.id }, new Date(), {
        runsEffects: true,
      });
      expect(await app.next('call:withdrawn')).toMatchObject({ reason: 'DECLINED' });
      // The deadline of a call whose keeper is dead still fires.
      expect(await world.ended(callId)).toMatchObject({ terminationReason: 'TIMEOUT' });
      await mediaOfDying.released(callId);
    },
    SLOW_MS,
  );

  test(
    'one dies: whoever listened through it listens no longer, and the call goes on',
    async () => {
      const dying = await startProcess(await freePort());
      const staying = await world.startNode();
      const media = await world.media([staying, dying]);
      const { callId } = await talk(staying, media);
      await world.agent('sue', { role: 'SUPERVISOR' });
      const sue = await world.app(dying, 'sue');
      await sue.ask('monitor:start', { callId, sdpOffer: 'ears', mode: 'LISTEN' });
      expect(media.legsOf(callId)).toHaveLength(3);
      await dying.kill();
      await world.until(async () => (media.legsOf(callId).length === 2 ? true : undefined), 'the leg to go');
      expect(await world.db.liveCall.count({ where: { callId } })).toBe(1);
    },
    SLOW_MS,
  );

  test('an agent on one node takes a call that came in on the other', async () => {
    const [one, two] = [await world.startNode(), await world.startNode()];
    const media = await world.media([one]);
    const second = await world.media([two]);
    const agent = await world.agent('carl', { shift: 'AVAILABLE' });
    const line = await world.line({ inboundQueueId: (await world.queue([agent])).id });
    const app: AppSocket = await world.app(one, 'carl');
    const { answer } = await media.invite({ requestUser: line.address });
    if (answer.action !== 'accept') throw new Error(answer.reason);
    await app.next('call:incoming');
    await app.ask('call:accept', { callId: answer.callId, sdpOffer: 'offer' });
    await app.next('call:updated', ({ call }) => call.answeredAt !== null);
    expect(second.commands).toHaveLength(0);
    await world.terminate(answer.callId);
    await media.released(answer.callId);
    await expectOneEnding(answer.callId);
  });
});

describe('what realtime leans on', () => {
  test(
    'every database connection is cut mid-call: no crash, and the call ends as usual',
    async () => {
      const node = await world.startNode();
      const media = await world.media([node]);
      const { app, callId } = await talk(node, media);
      await world.cutConnections();
      const left = await world.until(async () => {
        const reply = await app.send('call:hangup', { callId }).catch(() => undefined);
        return reply?.ok ? reply : undefined;
      }, 'the hang-up to be taken');
      expect(left.ok).toBe(true);
      await world.ended(callId);
      await media.released(callId);
      await expectOneEnding(callId);
      expect((await fetch(`${node.url}/readyz`)).status).toBe(200);
    },
    SLOW_MS,
  );

  test(
    'every database connection is cut: apps are told again how things stand, and hear of what other nodes do',
    async () => {
      const [node, other] = [await world.startNode(), await world.startNode()];
      const row = await world.agent('two-devices', { shift: 'AVAILABLE' });
      const desk = await world.app(node, row.ref, 'desk');
      const phone = await world.app(other, row.ref, 'phone');
      for (const app of [desk, phone]) app.forget();
      await world.cutConnections();
      await Promise.all([desk.next('session'), phone.next('session')]);
      await desk.ask('availability:set', { status: 'OFFLINE' });
      await phone.next('agent:updated', ({ agent }) => agent.availability === 'OFFLINE');
    },
    SLOW_MS,
  );

  test(
    'the media node is lost: FAILED, SYSTEM_ERROR, and the agent is free',
    async () => {
      const node = await world.startNode();
      const media = await world.media([node]);
      const { app, callId, agent } = await talk(node, media);
      media.close();
      expect((await app.next('call:ended')).call).toMatchObject({
        terminationReason: 'SYSTEM_ERROR',
        terminatedBy: 'SYSTEM',
      });
      expect(await world.ended(callId)).toMatchObject({ status: 'FAILED' });
      expect(await world.agentRow(agent.id)).toMatchObject({ currentCallId: null });
      await expectOneEnding(callId);
    },
    SLOW_MS,
  );

  test(
    'media gave an INVITE up before our answer reached it: whoever accepts is told soon, and is free',
    async () => {
      const node = await world.startNode();
      const media = await world.media([node]);
      const agent = await world.agent('dora', { shift: 'AVAILABLE' });
      const line = await world.line({ inboundQueueId: (await world.queue([agent])).id });
      const app = await world.app(node, 'dora');
      const { answer, question } = await media.invite({ requestUser: line.address });
      if (answer.action !== 'accept') throw new Error(answer.reason);
      media.legs.delete(question.legId);
      await app.next('call:incoming');
      await app.ask('call:accept', { callId: answer.callId, sdpOffer: 'offer' });
      await app.next('call:ended');
      expect(await world.ended(answer.callId)).toMatchObject({
        status: 'FAILED',
        terminationReason: 'SYSTEM_ERROR',
      });
      expect(await world.agentRow(agent.id)).toMatchObject({ currentCallId: null });
    },
    SLOW_MS,
  );

  test(
    'a media node that has just come takes calls at once',
    async () => {
      const node = await world.startNode();
      const old = await world.media([node]);
      old.close();
      const line = await world.line({ inboundQueueId: (await world.queue([])).id });
      // Across several heartbeats, so that one falls between the node's coming and its being seen.
      for (let count = 0; count < 8; count += 1) {
        const fresh = await world.media([node]);
        const { answer } = await fresh.invite({ requestUser: line.address });
        if (answer.action !== 'accept') throw new Error(answer.reason);
        expect(await world.db.mediaNode.count({ where: { id: fresh.nodeId } })).toBe(1);
        await world.terminate(answer.callId);
        expect(await world.ended(answer.callId)).toMatchObject({ terminatedBy: 'CONSUMER' });
        fresh.close();
      }
    },
    SLOW_MS,
  );

  test(
    'the media node comes back empty: its calls end; legs of calls that are over are released',
    async () => {
      const node = await world.startNode();
      const media = await world.media([node]);
      const { callId } = await talk(node, media);
      media.legs.clear();
      media.legs.set('stray', { callId: 999_999, legId: 'stray', kind: 'carrier-in', state: 'CONNECTED' });
      media.reconnect();
      await media.released(999_999);
      expect(await world.ended(callId)).toMatchObject({
        status: 'FAILED',
        terminationReason: 'SYSTEM_ERROR',
      });
    },
    SLOW_MS,
  );
});

test('a socket that goes while the database takes nothing is noted once it does', async () => {
  const node = await world.startNode();
  const agent = await world.agent('anna');
  const app = await world.app(node, 'anna');
  // A sequence counts what is rolled back, too.
  await world.db.$executeRawUnsafe('create sequence refused');
  await world.db.$executeRawUnsafe(
    `create function refuse() returns trigger language plpgsql as
     'begin perform nextval(''refused''); raise exception ''not now''; end'`,
  );
  await world.db.$executeRawUnsafe(
    'create trigger refuse before delete on "AgentConnection" for each row execute function refuse()',
  );
  app.close();
  await world.until(async () => {
    const [row] = await world.db.$queryRaw<{ called: boolean }[]>`select is_called as called from refused`;
    return row?.called ? true : undefined;
  }, 'the socket to go');
  await world.db.$executeRawUnsafe('drop trigger refuse on "AgentConnection"');
  await world.until(async () => {
    const left = await world.db.agentConnection.count({ where: { agentId: agent.id } });
    return left === 0 ? true : undefined;
  }, 'the socket to be noted as gone');
});
