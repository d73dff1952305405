import { randomUUID } from 'node:crypto';
import { createSecretBox } from '@clarion/core/security/secret-box';
import { notify } from '@clarion/db';
import { signToken } from '@clarion/testkit/stack/token';
import { legEndOf } from '@clarion/testkit/peers/fake-media';
import type { FakeMedia } from '@clarion/testkit/peers/fake-media';
import { mediaAuthorization, mediaSocketPath } from '@clarion/protocol/media';
import { MAX_SOCKET_MESSAGE_BYTES, MAX_SOCKET_MESSAGES_PER_10_SECONDS } from '@clarion/protocol/socket';
import { io } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Realtime } from '../src/server.ts';
import { AppSocket } from './app-socket.ts';
import { MASTER_KEY, MEDIA_SECRET, World } from './world.ts';

let world: World;
let node: Realtime & { url: string };
let media: FakeMedia;

beforeAll(async () => {
  world = await World.create();
  node = await world.startNode();
  media = await world.media([node]);
});
afterAll(() => world.close());

/** Whoever may no longer be here is cut off within this time. */
const CUT_WITHIN_MS = 1_000;

const connect = (token: string) => new AppSocket(node.url, token);
const agentByRef = (ref: string) =>
  world.db.agent.findUniqueOrThrow({ where: { tenantId_ref: { tenantId: world.tenant.id, ref } } });

/** Resolves with the words of the error that came before the socket was closed by the server. */
async function sentAway(app: AppSocket): Promise<string> {
  const { code } = await app.next('error');
  if (app.socket.connected) await new Promise((resolve) => app.socket.once('disconnect', resolve));
  return code;
}

describe('the token', () => {
  test('creates the agent on the first connect, with name and role', async () => {
    const app = connect(world.token('new', { name: 'Nora New', role: 'SUPERVISOR' }));
    const session = await app.session();
    expect(session).toMatchObject({
      agent: { agentRef: 'new', name: 'Nora New', role: 'SUPERVISOR', availability: 'OFFLINE' },
      tenant: { ref: 't1', name: 'One' },
      calls: [],
    });
    app.close();
  });

  test('applies name and role on every connect; without a name the agent is renamed to the ref', async () => {
    await world.agent('changing', { name: 'Old', role: 'SUPERVISOR' });
    const app = connect(world.token('changing', { name: undefined, role: 'AGENT' }));
    expect((await app.session()).agent).toMatchObject({ name: 'changing', role: 'AGENT' });
    app.close();
  });

  test.each([
    ['nonsense', () => 'nonsense', 'unauthorized'],
    ['a foreign tenant', () => world.token('x', { tnt: 'not-there' }), 'unauthorized'],
    ['an expired token', () => world.token('x', { exp: 1 }), 'unauthorized'],
  ])('%s is refused', async (_, token, code) => {
    const app = connect(token());
    await expect(app.session()).rejects.toThrow(code);
    app.close();
  });

  test('a handshake without a device is refused', async () => {
    const socket = io(`${node.url}/agent`, {
      auth: { token: world.token('x') },
      addTrailingSlash: false,
      forceNew: true,
      transports: ['websocket'],
    });
    const error = await new Promise<Error & { data?: unknown }>((resolve) =>
      socket.once('connect_error', resolve),
    );
    expect(error.data).toMatchObject({ code: 'unauthorized' });
    socket.disconnect();
    const named = new AppSocket(node.url, world.token('x'), 'a\0b');
    await expect(named.session()).rejects.toThrow('unauthorized');
    named.close();
  });

  test('of a deleted agent is refused, and a deleted agent is sent away at once', async () => {
    const app = await world.app(node, 'leaving');
    const { id } = await agentByRef('leaving');
    await world.db.$transaction(async (tx) => {
      await tx.agent.update({ where: { id }, data: { deletedAt: new Date() } });
      await notify(tx, 'clarion_agent', id);
    });
    const since = performance.now();
    expect(await sentAway(app)).toBe('unauthorized');
    expect(performance.now() - since).toBeLessThan(CUT_WITHIN_MS);
    await expect(connect(world.token('leaving')).session()).rejects.toThrow('unauthorized');
  });

  test('of a revoked signing key is refused on every node, and who came with one is sent away within a second', async () => {
    const other = await world.startNode();
    const { id: consumerId } = world.consumer;
    const key = { kid: 'leaked', secret: randomUUID() };
    const secretSealed = createSecretBox([MASTER_KEY]).seal('signing-key', key.secret);
    const { id } = await world.db.signingKey.create({ data: { consumerId, kid: key.kid, secretSealed } });
    const tokenOf = (sub: string) => signToken(key, { iss: 'acme', tnt: world.tenant.ref, sub, name: sub });
    const urls = [node.url, other.url];
    const apps = urls.map((url, index) => new AppSocket(url, tokenOf(`holder-${index}`)));
    const safe = connect(world.token('bystander'));
    await Promise.all([...apps, safe].map((app) => app.session()));
    await world.db.signingKey.update({ where: { id }, data: { revokedAt: new Date() } });
    const since = performance.now();
    expect(await Promise.all(apps.map(sentAway))).toEqual(['unauthorized', 'unauthorized']);
    expect(performance.now() - since).toBeLessThan(CUT_WITHIN_MS);
    for (const url of urls) {
      await expect(new AppSocket(url, tokenOf('holder-0')).session()).rejects.toThrow('unauthorized');
    }
    expect(safe.socket.connected).toBe(true);
    safe.close();
    await other.stop();
  });

  test('its end is the end of the socket', async () => {
    const app = connect(world.token('short', { exp: Math.floor(Date.now() / 1000) + 2 }));
    await app.session();
    expect(await sentAway(app)).toBe('unauthorized');
  });

  test('of an agent who is deleted while the app connects lets nobody in', async () => {
    const app = connect(world.token('removed'));
    await app.session();
    app.close();
    // The deletion falls between the handshake and the socket's row, and its notification finds no socket.
    await world.db
      .$executeRawUnsafe(`create function delete_removed() returns trigger language plpgsql as $$ begin
      update "Agent" set "deletedAt" = now() where "id" = new."agentId" and "ref" = 'removed'; return new; end $$`);
    await world.db.$executeRawUnsafe(`create trigger delete_removed before insert on "AgentConnection"
      for each row execute function delete_removed()`);
    const again = connect(world.token('removed'));
    expect(await sentAway(again)).toBe('unauthorized');
    expect(again.told.map(({ name }) => name)).not.toContain('session');
    await world.db.$executeRawUnsafe('drop function delete_removed cascade');
  });

  test('of a suspended tenant is refused, and its agents are sent away', async () => {
    const tenant = await world.db.tenant.create({
      data: { consumerId: world.consumer.id, ref: 'sus', name: 'Suspended soon' },
    });
    const app = connect(world.token('y', { tnt: 'sus' }));
    await app.session();
    await world.db.$transaction(async (tx) => {
      await tx.tenant.update({ where: { id: tenant.id }, data: { status: 'SUSPENDED' } });
      await notify(tx, 'clarion_tenant', tenant.id);
    });
    expect(await sentAway(app)).toBe('tenant_suspended');
    await expect(connect(world.token('y', { tnt: 'sus' })).session()).rejects.toThrow('tenant_suspended');
  });
});

describe('messages', () => {
  test('of the wrong shape or too many are refused one by one; the socket lives', async () => {
    const app = await world.app(node, 'clumsy');
    const send = (name: string, payload: unknown): Promise<unknown> =>
      app.socket.timeout(5_000).emitWithAck(name, payload);
    expect(await send('availability:set', { status: 'SLEEPING' })).toMatchObject({
      ok: false,
      error: { code: 'invalid_request', details: { field: 'status' } },
    });
    expect(await send('no:such', {})).toMatchObject({ ok: false, error: { code: 'invalid_request' } });
    expect(await send('toString', {})).toMatchObject({ ok: false, error: { code: 'invalid_request' } });
    expect(await send('call:hangup', null)).toMatchObject({ ok: false, error: { code: 'invalid_request' } });
    expect(await send('call:start', { callId: 1, sdpOffer: 'x'.repeat(40_000) })).toMatchObject({
      ok: false,
      error: { code: 'invalid_request' },
    });
    for (const callId of [999_999, 2 ** 40]) {
      expect(await send('call:hangup', { callId })).toMatchObject({ error: { code: 'not_found' } });
    }
    const replies = await Promise.all(
      Array.from({ length: MAX_SOCKET_MESSAGES_PER_10_SECONDS + 5 }, () => send('ice:servers', {})),
    );
    expect(replies.at(-1)).toMatchObject({ ok: false, error: { code: 'rate_limited' } });
    expect(app.socket.connected).toBe(true);
    app.close();
  });

  test('beyond the size limit cost the socket, though media may send as much', async () => {
    const app = await world.app(node, 'huge');
    app.socket.emit('call:start', 'x'.repeat(MAX_SOCKET_MESSAGE_BYTES));
    expect(await sentAway(app)).toBe('invalid_request');
  });

  test('that are binary cost the socket', async () => {
    const app = await world.app(node, 'binary');
    const gone = new Promise((resolve) => app.socket.once('disconnect', resolve));
    app.socket.emit('call:start', Buffer.alloc(1));
    expect(await gone).toBe('transport close');
  });

  test('that go on far beyond the rate cost the socket, known messages or not', async () => {
    const app = await world.app(node, 'flood');
    for (let sent = 0; sent <= 5 * MAX_SOCKET_MESSAGES_PER_10_SECONDS; sent += 1) app.socket.emit('no:such');
    expect(await sentAway(app)).toBe('rate_limited');
  });
});

describe('availability', () => {
  test('is chosen, kept, and ON_CALL while talking', async () => {
    const app = await world.app(node, 'avail');
    expect(await app.ask('availability:set', { status: 'AVAILABLE' })).toMatchObject({
      agent: { availability: 'AVAILABLE', shift: 'AVAILABLE' },
    });
    const agent = await agentByRef('avail');
    const line = await world.line({ inboundQueueId: (await world.queue([agent])).id });
    const { answer, question } = await media.invite({ requestUser: line.address });
    if (answer.action !== 'accept') throw new Error(answer.reason);
    await app.next('call:incoming');
    await app.ask('call:accept', { callId: answer.callId, sdpOffer: 'offer' });
    await app.next('agent:updated', ({ agent: told }) => told.availability === 'ON_CALL');
    app.forget();
    media.ended(answer.callId, question.legId, legEndOf('remote-bye'));
    await app.next('agent:updated', ({ agent: told }) => told.availability === 'AVAILABLE');
    app.close();
  });

  test('too many missed calls in a row take the agent offline where the tenant wants it', async () => {
    await world.db.tenant.update({
      where: { id: world.tenant.id },
      data: { settings: { autoOffline: { enabled: true, missedThreshold: 2 } } },
    });
    const agent = await world.agent('asleep', { shift: 'AVAILABLE' });
    const queue = await world.queue([agent], { ringTimeoutSeconds: 1 });
    const line = await world.line({ inboundQueueId: queue.id });
    const app = await world.app(node, 'asleep');
    const { answer } = await media.invite({ requestUser: line.address });
    if (answer.action !== 'accept') throw new Error(answer.reason);
    await app.next('agent:updated', ({ agent: told }) => told.shift === 'OFFLINE');
    expect(await world.agentRow(agent.id)).toMatchObject({ shift: 'OFFLINE', currentCallId: null });
    await world.terminate(answer.callId);
    expect(await world.db.callLifecycle.count({ where: { callId: answer.callId, type: 'MISSED' } })).toBe(2);
    app.close();
  });

  test('an agent who is not connected is not offered a call; coming back is enough', async () => {
    const agent = await world.agent('away', { shift: 'AVAILABLE' });
    const line = await world.line({ inboundQueueId: (await world.queue([agent])).id });
    const { answer } = await media.invite({ requestUser: line.address });
    if (answer.action !== 'accept') throw new Error(answer.reason);
    expect(await world.agentRow(agent.id)).toMatchObject({ currentCallId: null });
    const app = await world.app(node, 'away');
    await app.next('call:incoming');
    await world.terminate(answer.callId);
    app.close();
  });

  test('a ringing call is in the session of an app that connects meanwhile, with when it runs out', async () => {
    const agent = await world.agent('late', { shift: 'AVAILABLE' });
    const line = await world.line({ inboundQueueId: (await world.queue([agent])).id });
    const desk = await world.app(node, 'late', 'desk');
    const { answer } = await media.invite({ requestUser: line.address });
    if (answer.action !== 'accept') throw new Error(answer.reason);
    await desk.next('call:incoming');
    const phone = await world.app(node, 'late', 'phone');
    const session = await phone.next('session');
    expect(session.calls).toMatchObject([{ callId: answer.callId, state: 'incoming' }]);
    expect(new Date(session.expiries[answer.callId] ?? 0).getTime()).toBeGreaterThan(Date.now());
    await world.terminate(answer.callId);
    desk.close();
    phone.close();
  });
});

describe('the lines of a session', () => {
  test('are those that the agent can call out from: active SIP lines, shared or their own', async () => {
    const [ada, ben] = [await world.agent('line-ada'), await world.agent('line-ben')];
    const elsewhere = await world.db.tenant.create({
      data: { consumerId: world.consumer.id, ref: 'elsewhere', name: 'Elsewhere' },
    });
    const shared = await world.line({ displayName: 'Sales' });
    const own = await world.line({ ownerAgentId: ada.id });
    const others = [
      await world.line({ ownerAgentId: ben.id }),
      await world.line({ status: 'DISABLED' }),
      await world.line({ type: 'WHATSAPP', sipTrunkId: null }),
      await world.line({ tenantId: elsewhere.id }),
    ];
    const made = new Set([shared, own, ...others].map(({ ref }) => ref));

    const app = await world.app(node, 'line-ada');
    const { lines } = await app.session();
    expect(lines.filter(({ ref }) => made.has(ref))).toEqual([
      { ref: shared.ref, address: shared.address, displayName: 'Sales', personal: false },
      { ref: own.ref, address: own.address, displayName: null, personal: true },
    ]);
    app.close();
  });
});

describe('media nodes', () => {
  test('without the secret are refused', async () => {
    for (const extraHeaders of [{}, { authorization: mediaAuthorization('wrong') }]) {
      const socket = io(`${node.url}/media`, {
        path: mediaSocketPath,
        addTrailingSlash: false,
        auth: { nodeId: 'evil', startedAt: '', capacity: 1 },
        extraHeaders,
        forceNew: true,
        reconnection: false,
        transports: ['websocket'],
      });
      const error = await new Promise<Error>((resolve) => socket.once('connect_error', resolve));
      expect(error.message).toBe('websocket error');
    }
  });

  test('cannot connect through the path for agents', async () => {
    const socket = io(`${node.url}/media`, {
      addTrailingSlash: false,
      auth: { nodeId: 'evil', startedAt: '', capacity: 1 },
      extraHeaders: { authorization: mediaAuthorization(MEDIA_SECRET) },
      forceNew: true,
      transports: ['websocket'],
    });
    const error = await new Promise<Error>((resolve) => socket.once('connect_error', resolve));
    expect(error.message).toBe('Invalid namespace');
    socket.disconnect();
  });

  test('health and readiness are served, and metrics on a port of their own', async () => {
    expect((await fetch(`${node.url}/healthz`)).status).toBe(200);
    expect(await (await fetch(`${node.url}/readyz`)).json()).toMatchObject({
      status: 'ok',
      checks: { database: 'ok', media: 'ok' },
    });
    expect((await fetch(`${node.url}/metrics`)).status).toBe(404);
    const metrics = await fetch(`http://127.0.0.1:${node.metricsPort}/metrics`);
    expect(await metrics.text()).toContain('clarion_agent_sockets');
  });
});
