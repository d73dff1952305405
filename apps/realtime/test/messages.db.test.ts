/** How messages reach apps: without the database on one node, published to others in order, and made from what a step wrote. */
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { CallAfterStep } from '@clarion/core/call-engine/commit';
import { parseState } from '@clarion/core/call-engine/stored';
import { createPool, listen } from '@clarion/db';
import type { ServerMessages } from '@clarion/protocol/socket';
import { Server } from 'socket.io';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createNames } from '../src/lib/names.ts';
import { createNotifyAgent } from '../src/notify/notify-agent.ts';
import { agentRoom } from '../src/sockets/rooms.ts';
import type { AgentNamespace } from '../src/sockets/types.ts';
import { AppSocket } from './app-socket.ts';
import { RealtimeFixture } from './fixture.ts';

let fixture: RealtimeFixture;
beforeAll(async () => {
  fixture = await RealtimeFixture.create();
});
afterAll(() => fixture.close());

/** Every notification of these channels, whoever sends it. */
async function notificationsOf(channels: string[]) {
  const pool = createPool(fixture.databaseUrl, { connections: 1, onError: () => undefined });
  const client = await pool.connect();
  const received: { channel: string; payload: string }[] = [];
  client.on('notification', ({ channel, payload }) => received.push({ channel, payload: payload ?? '' }));
  for (const channel of channels) await client.query(`listen "${channel}"`);
  return {
    /** Everything that was sent before. */
    async all() {
      await client.query('select 1');
      return [...received];
    },
    close: async () => {
      client.release(true);
      await pool.end();
    },
  };
}

const SOCKET_CHANNEL = 'socket.io#/agent';
/** MessageType.BROADCAST of socket.io-adapter. */
const isBroadcast = ({ payload }: { payload: string }) =>
  (JSON.parse(payload) as { type: number }).type === 3;

describe('one node', () => {
  test('sends messages to its own sockets and boards without the database, and to a second node as soon as it accepts sockets', async () => {
    const first = await fixture.startNode();
    const media = await fixture.media([first]);
    const agent = await fixture.agent('alone', { shift: 'AVAILABLE' });
    const line = await fixture.line({ inboundQueueId: (await fixture.queue([agent])).id });
    const app = await fixture.app(first, 'alone', 'desk');
    const sent = await notificationsOf([SOCKET_CHANNEL, 'clarion_board']);
    const call = async () => {
      const { answer } = await media.invite({ requestUser: line.address });
      if (answer.action !== 'accept') throw new Error(answer.reason);
      await app.next('call:incoming', (incoming) => incoming.call.callId === answer.callId);
      await app.ask('call:accept', { callId: answer.callId, sdpOffer: 'offer' });
      await app.next(
        'call:updated',
        ({ call: { callId, answeredAt } }) => callId === answer.callId && answeredAt !== null,
      );
      await app.ask('call:hangup', { callId: answer.callId });
      await app.next('call:ended', (ended) => ended.call.callId === answer.callId);
      await media.released(answer.callId);
      await fixture.until(
        async () => ((await fixture.db.engineOutbox.count()) === 0 ? true : undefined),
        'every effect',
      );
    };
    await call();
    const alone = await sent.all();
    expect(alone.filter(({ channel }) => channel === 'clarion_board')).toEqual([]);
    expect(alone.filter(({ channel }) => channel === SOCKET_CHANNEL).filter(isBroadcast)).toEqual([]);

    const second = await fixture.startNode();
    const other = await fixture.app(second, 'alone', 'mobile');
    other.clearReceived();
    await app.ask('availability:set', { status: 'OFFLINE' });
    await other.next('agent:updated', (updated) => updated.agent.shift === 'OFFLINE');
    await app.ask('availability:set', { status: 'AVAILABLE' });
    await other.next('agent:updated', (updated) => updated.agent.shift === 'AVAILABLE');
    await call();
    const messagesOf = ({ received }: typeof app) =>
      received.flatMap(({ name, payload }) =>
        name.startsWith('call:') && name !== 'call:withdrawn'
          ? [`${name} ${(payload as ServerMessages['call:updated']).call.state}`]
          : [],
      );
    await other.next('call:ended');
    const atDesk = messagesOf(app).slice(-messagesOf(other).length);
    expect(messagesOf(other)).toEqual(atDesk);
    const together = await sent.all();
    expect(together.filter(({ channel }) => channel === 'clarion_board').length).toBeGreaterThan(0);
    expect(
      together.filter(({ channel }) => channel === SOCKET_CHANNEL).filter(isBroadcast).length,
    ).toBeGreaterThan(0);

    // A node that others removed received nothing meanwhile.
    other.clearReceived();
    await fixture.db.realtimeNode.delete({ where: { id: second.nodeId } });
    await other.next('session');

    await second.stop();
    // Each message is awaited, so its publication would precede the answer of the query that follows.
    const set = async (status: 'AVAILABLE' | 'OFFLINE') => {
      app.clearReceived();
      await app.ask('availability:set', { status });
      await app.next('agent:updated', ({ agent: { shift } }) => shift === status);
    };
    await fixture.until(async () => {
      const before = (await sent.all()).length;
      await set('OFFLINE');
      await set('AVAILABLE');
      return (await sent.all()).length === before ? true : undefined;
    }, 'the first node to know that it is alone');
    await sent.close();
    await first.stop();
  });
});

describe('names', () => {
  test('are read once and again after a change, whoever makes it', async () => {
    const events = new Map<string, () => void>();
    const changed = (what: string) =>
      new Promise<void>((resolve) => {
        events.set(what, resolve);
      });
    const names = createNames(fixture.db, () => listener.isCurrent());
    const evicting = (what: 'agent' | 'queue' | 'channel') => (id: string) => {
      names.renamed[what](Number(id));
      events.get(what)?.();
    };
    const listener = listen(fixture.databaseUrl, {
      clarion_agent_name: evicting('agent'),
      clarion_queue_name: evicting('queue'),
      clarion_channel_name: evicting('channel'),
    });
    await listener.ready;
    const agent = await fixture.agent('named', { name: 'Ann' });
    const queue = await fixture.queue([agent], { name: 'Sales' });
    const line = await fixture.line({ displayName: 'Main', inboundQueueId: queue.id });
    const read = async () => [
      (await names.agent(agent.id))?.name,
      (await names.queue(queue.id))?.name,
      (await names.channel(line.id))?.displayName,
    ];
    expect(await read()).toEqual(['Ann', 'Sales', 'Main']);

    // Without the triggers nothing would be notified, and the cache would keep what it has.
    await fixture.db.$executeRaw`alter table "Agent" disable trigger "Agent_renamed"`;
    await fixture.db.agent.update({ where: { id: agent.id }, data: { name: 'Unnoticed' } });
    await fixture.db.$executeRaw`alter table "Agent" enable trigger "Agent_renamed"`;
    expect(await read()).toEqual(['Ann', 'Sales', 'Main']);

    const all = Promise.all([changed('agent'), changed('queue'), changed('channel')]);
    await fixture.db.agent.update({ where: { id: agent.id }, data: { name: 'Anna' } });
    await fixture.db.queue.update({ where: { id: queue.id }, data: { name: 'Orders' } });
    await fixture.db.channel.update({ where: { id: line.id }, data: { displayName: 'Orders line' } });
    await all;
    expect(await read()).toEqual(['Anna', 'Orders', 'Orders line']);

    const removed = Promise.all([changed('queue'), changed('channel')]);
    await fixture.db.channel.delete({ where: { id: line.id } });
    await fixture.db.queue.delete({ where: { id: queue.id } });
    await removed;
    expect(await read()).toEqual(['Anna', undefined, undefined]);

    await listener.stop();
    await fixture.db.agent.update({ where: { id: agent.id }, data: { name: 'Annabel' } });
    expect(await read()).toEqual(['Annabel', undefined, undefined]);
  });
});

describe('a message about a call', () => {
  test('shows the call as the step left it, and without that, or if a later step was committed, as its rows are', async () => {
    const agent = await fixture.agent('maker');
    const line = await fixture.line({});
    const { id: callId } = await fixture.intent(agent, line);
    const live = await fixture.db.liveCall.findUniqueOrThrow({ where: { callId } });
    const call = await fixture.db.call.findUniqueOrThrow({ where: { id: callId } });
    const after: CallAfterStep = {
      call: { ...call, externalRef: 'as the step left it' },
      tenantRef: fixture.tenant.ref,
      state: parseState(live.state),
      agents: [{ ...agent, name: 'as the step left them', rowVersion: '1', deviceIds: [] }],
    };

    const http = createServer();
    const server = new Server(http, { addTrailingSlash: false });
    const agents: AgentNamespace = server.of('/agent');
    agents.on('connection', (socket) => void socket.join(agentRoom(agent.id)));
    await once(http.listen(0, '127.0.0.1'), 'listening');
    const address = http.address();
    if (typeof address !== 'object' || !address) throw new Error('the server is not listening');
    const joined = once(agents, 'connection');
    const app = new AppSocket(`http://127.0.0.1:${address.port}`, 'no token is needed');
    await joined;

    const notify = createNotifyAgent(
      { db: fixture.db, names: createNames(fixture.db, () => false), now: () => new Date() },
      agents,
      async () => undefined,
    );
    // The agent has not started the call yet, so it may leave them.
    const left = async (state: () => CallAfterStep | null) => {
      app.clearReceived();
      await notify(callId, agent.id, { message: 'left' }, state);
      const { call: shown } = await app.next('call:ended');
      return { externalRef: shown.externalRef, channel: shown.channel.address };
    };
    expect(await left(() => after)).toEqual({ externalRef: 'as the step left it', channel: line.address });
    expect(await left(() => null)).toEqual({ externalRef: 'order-7', channel: line.address });
    // The names are read in between: meanwhile there is a later step.
    const states = [after, null];
    expect(await left(() => states.shift() ?? null)).toEqual({
      externalRef: 'order-7',
      channel: line.address,
    });

    const agentUpdated = async (state: () => CallAfterStep | null) => {
      app.clearReceived();
      await notify(callId, agent.id, { message: 'agent' }, state);
      return (await app.next('agent:updated')).agent.name;
    };
    expect(await agentUpdated(() => after)).toBe('as the step left them');
    expect(await agentUpdated(() => null)).toBe('maker');
    app.close();
    await server.close();
  });
});
