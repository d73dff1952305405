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
import { MASTER_KEY, MEDIA_SECRET, RealtimeFixture } from './fixture.ts';

let fixture: RealtimeFixture;
let node: Realtime & { url: string };
let media: FakeMedia;

beforeAll(async () => {
  fixture = await RealtimeFixture.create();
  node = await fixture.startNode();
  media = await fixture.media([node]);
});
afterAll(() => fixture.close());

/** An agent without access is disconnected within this time. */
const CUT_WITHIN_MS = 1_000;

const connect = (token: string) => new AppSocket(node.url, token);
const agentByRef = (ref: string) =>
  fixture.db.agent.findUniqueOrThrow({ where: { tenantId_ref: { tenantId: fixture.tenant.id, ref } } });

/** Resolves with the message of the error that preceded the server's closing of the socket. */
async function sentAway(app: AppSocket): Promise<string> {
  const { code } = await app.next('error');
  if (app.socket.connected) await new Promise((resolve) => app.socket.once('disconnect', resolve));
  return code;
}

describe('the token', () => {
  test('creates the agent at the first connection, with name and role', async () => {
    const app = connect(fixture.token('new', { name: 'Nora New', role: 'SUPERVISOR' }));
    const session = await app.session();
    expect(session).toMatchObject({
      agent: { agentRef: 'new', name: 'Nora New', role: 'SUPERVISOR', availability: 'OFFLINE' },
      tenant: { ref: 't1', name: 'One' },
      calls: [],
    });
    app.close();
  });

  test('applies name and role at every connection; without a name the agent is renamed to the ref', async () => {
    await fixture.agent('changing', { name: 'Old', role: 'SUPERVISOR' });
    const app = connect(fixture.token('changing', { name: undefined, role: 'AGENT' }));
    expect((await app.session()).agent).toMatchObject({ name: 'changing', role: 'AGENT' });
    app.close();
  });

  test.each([
    ['nonsense', () => 'nonsense', 'unauthorized'],
    ['a foreign tenant', () => fixture.token('x', { tnt: 'not-there' }), 'unauthorized'],
    ['an expired token', () => fixture.token('x', { exp: 1 }), 'unauthorized'],
  ])('%s is refused', async (_, token, code) => {
    const app = connect(token());
    await expect(app.session()).rejects.toThrow(code);
    app.close();
  });

  test('without a device ID in the handshake is rejected', async () => {
    const socket = io(`${node.url}/agent`, {
      auth: { token: fixture.token('x') },
      addTrailingSlash: false,
      forceNew: true,
      transports: ['websocket'],
    });
    const error = await new Promise<Error & { data?: unknown }>((resolve) =>
      socket.once('connect_error', resolve),
    );
    expect(error.data).toMatchObject({ code: 'unauthorized' });
    socket.disconnect();
    const named = new AppSocket(node.url, fixture.token('x'), 'a\0b');
    await expect(named.session()).rejects.toThrow('unauthorized');
    named.close();
  });

  test('of a deleted agent is rejected, and a deleted agent is disconnected immediately', async () => {
    const app = await fixture.app(node, 'leaving');
    const { id } = await agentByRef('leaving');
    await fixture.db.$transaction(async (tx) => {
      await tx.agent.update({ where: { id }, data: { deletedAt: new Date() } });
      await notify(tx, 'clarion_agent', id);
    });
    const since = performance.now();
    expect(await sentAway(app)).toBe('unauthorized');
    expect(performance.now() - since).toBeLessThan(CUT_WITHIN_MS);
    await expect(connect(fixture.token('leaving')).session()).rejects.toThrow('unauthorized');
  });

  test('of a revoked signing key is rejected on every node, and sockets that used it are closed within a second', async () => {
    const other = await fixture.startNode();
    const { id: consumerId } = fixture.consumer;
    const key = { kid: 'leaked', secret: randomUUID() };
    const secretSealed = createSecretBox([MASTER_KEY]).seal('signing-key', key.secret);
    const { id } = await fixture.db.signingKey.create({ data: { consumerId, kid: key.kid, secretSealed } });
    const tokenOf = (sub: string) => signToken(key, { iss: 'acme', tnt: fixture.tenant.ref, sub, name: sub });
    const urls = [node.url, other.url];
    const apps = urls.map((url, index) => new AppSocket(url, tokenOf(`holder-${index}`)));
    const safe = connect(fixture.token('bystander'));
    await Promise.all([...apps, safe].map((app) => app.session()));
    await fixture.db.signingKey.update({ where: { id }, data: { revokedAt: new Date() } });
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

  test('closes the socket when it expires', async () => {
    const app = connect(fixture.token('short', { exp: Math.floor(Date.now() / 1000) + 2 }));
    await app.session();
    expect(await sentAway(app)).toBe('unauthorized');
  });

  test('of an agent who is deleted while the app connects is rejected', async () => {
    const app = connect(fixture.token('removed'));
    await app.session();
    app.close();
    // The deletion falls between the handshake and the socket's row, and its notification finds no socket.
    await fixture.db
      .$executeRawUnsafe(`create function delete_removed() returns trigger language plpgsql as $$ begin
      update "Agent" set "deletedAt" = now() where "id" = new."agentId" and "ref" = 'removed'; return new; end $$`);
    await fixture.db.$executeRawUnsafe(`create trigger delete_removed before insert on "AgentConnection"
      for each row execute function delete_removed()`);
    const again = connect(fixture.token('removed'));
    expect(await sentAway(again)).toBe('unauthorized');
    expect(again.received.map(({ name }) => name)).not.toContain('session');
    await fixture.db.$executeRawUnsafe('drop function delete_removed cascade');
  });

  test('of a suspended tenant is rejected, and its agents are disconnected', async () => {
    const tenant = await fixture.db.tenant.create({
      data: { consumerId: fixture.consumer.id, ref: 'sus', name: 'Suspended soon' },
    });
    const app = connect(fixture.token('y', { tnt: 'sus' }));
    await app.session();
    await fixture.db.$transaction(async (tx) => {
      await tx.tenant.update({ where: { id: tenant.id }, data: { status: 'SUSPENDED' } });
      await notify(tx, 'clarion_tenant', tenant.id);
    });
    expect(await sentAway(app)).toBe('tenant_suspended');
    await expect(connect(fixture.token('y', { tnt: 'sus' })).session()).rejects.toThrow('tenant_suspended');
  });
});

describe('messages', () => {
  test('that are invalid or too frequent are rejected one by one, and the socket stays open', async () => {
    const app = await fixture.app(node, 'clumsy');
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

  test('beyond the size limit close the socket, although media may send as much', async () => {
    const app = await fixture.app(node, 'huge');
    app.socket.emit('call:start', 'x'.repeat(MAX_SOCKET_MESSAGE_BYTES));
    expect(await sentAway(app)).toBe('invalid_request');
  });

  test('that are binary close the socket', async () => {
    const app = await fixture.app(node, 'binary');
    const gone = new Promise((resolve) => app.socket.once('disconnect', resolve));
    app.socket.emit('call:start', Buffer.alloc(1));
    expect(await gone).toBe('transport close');
  });

  test('that far exceed the rate limit close the socket, whether known or not', async () => {
    const app = await fixture.app(node, 'flood');
    for (let sent = 0; sent <= 5 * MAX_SOCKET_MESSAGES_PER_10_SECONDS; sent += 1) app.socket.emit('no:such');
    expect(await sentAway(app)).toBe('rate_limited');
  });
});

describe('availability', () => {
  test('is set by the agent, kept, and ON_CALL during a call', async () => {
    const app = await fixture.app(node, 'avail');
    expect(await app.ask('availability:set', { status: 'AVAILABLE' })).toMatchObject({
      agent: { availability: 'AVAILABLE', shift: 'AVAILABLE' },
    });
    const agent = await agentByRef('avail');
    const line = await fixture.line({ inboundQueueId: (await fixture.queue([agent])).id });
    const { answer, question } = await media.invite({ requestUser: line.address });
    if (answer.action !== 'accept') throw new Error(answer.reason);
    await app.next('call:incoming');
    await app.ask('call:accept', { callId: answer.callId, sdpOffer: 'offer' });
    await app.next('agent:updated', ({ agent: told }) => told.availability === 'ON_CALL');
    app.clearReceived();
    media.ended(answer.callId, question.legId, legEndOf('remote-bye'));
    await app.next('agent:updated', ({ agent: told }) => told.availability === 'AVAILABLE');
    app.close();
  });

  test('too many missed offers in a row set the agent to OFFLINE if the tenant has auto-offline', async () => {
    await fixture.db.tenant.update({
      where: { id: fixture.tenant.id },
      data: { settings: { autoOffline: { enabled: true, missedThreshold: 2 } } },
    });
    const agent = await fixture.agent('asleep', { shift: 'AVAILABLE' });
    const queue = await fixture.queue([agent], { ringTimeoutSeconds: 1 });
    const line = await fixture.line({ inboundQueueId: queue.id });
    const app = await fixture.app(node, 'asleep');
    const { answer } = await media.invite({ requestUser: line.address });
    if (answer.action !== 'accept') throw new Error(answer.reason);
    await app.next('agent:updated', ({ agent: told }) => told.shift === 'OFFLINE');
    expect(await fixture.agentRow(agent.id)).toMatchObject({ shift: 'OFFLINE', currentCallId: null });
    await fixture.terminate(answer.callId);
    expect(await fixture.db.callLifecycle.count({ where: { callId: answer.callId, type: 'MISSED' } })).toBe(
      2,
    );
    app.close();
  });

  test('an agent who is not connected is not offered a call until they reconnect', async () => {
    const agent = await fixture.agent('away', { shift: 'AVAILABLE' });
    const line = await fixture.line({ inboundQueueId: (await fixture.queue([agent])).id });
    const { answer } = await media.invite({ requestUser: line.address });
    if (answer.action !== 'accept') throw new Error(answer.reason);
    expect(await fixture.agentRow(agent.id)).toMatchObject({ currentCallId: null });
    const app = await fixture.app(node, 'away');
    await app.next('call:incoming');
    await fixture.terminate(answer.callId);
    app.close();
  });

  test('a ringing call is in the session of an app that connects meanwhile, with its expiry', async () => {
    const agent = await fixture.agent('late', { shift: 'AVAILABLE' });
    const line = await fixture.line({ inboundQueueId: (await fixture.queue([agent])).id });
    const desk = await fixture.app(node, 'late', 'desk');
    const { answer } = await media.invite({ requestUser: line.address });
    if (answer.action !== 'accept') throw new Error(answer.reason);
    await desk.next('call:incoming');
    const phone = await fixture.app(node, 'late', 'phone');
    const session = await phone.next('session');
    expect(session.calls).toMatchObject([{ callId: answer.callId, state: 'incoming' }]);
    expect(new Date(session.expiries[answer.callId] ?? 0).getTime()).toBeGreaterThan(Date.now());
    await fixture.terminate(answer.callId);
    desk.close();
    phone.close();
  });
});

describe('the lines of a session', () => {
  test('are those that the agent can use for outbound calls: active lines with a trunk or an access token, shared or personal', async () => {
    const [ada, ben] = [await fixture.agent('line-ada'), await fixture.agent('line-ben')];
    const elsewhere = await fixture.db.tenant.create({
      data: { consumerId: fixture.consumer.id, ref: 'elsewhere', name: 'Elsewhere' },
    });
    const shared = await fixture.line({ displayName: 'Sales' });
    const own = await fixture.line({ ownerAgentId: ada.id });
    const whatsApp = await fixture.line({ type: 'WHATSAPP', sipTrunkId: null, credentialsSealed: 'sealed' });
    const others = [
      await fixture.line({ ownerAgentId: ben.id }),
      await fixture.line({ status: 'DISABLED' }),
      await fixture.line({ type: 'WHATSAPP', sipTrunkId: null }),
      await fixture.line({ tenantId: elsewhere.id }),
    ];
    const made = new Set([shared, own, whatsApp, ...others].map(({ ref }) => ref));

    const app = await fixture.app(node, 'line-ada');
    const { lines } = await app.session();
    expect(lines.filter(({ ref }) => made.has(ref))).toEqual([
      { ref: shared.ref, type: 'SIP', address: shared.address, displayName: 'Sales', personal: false },
      { ref: own.ref, type: 'SIP', address: own.address, displayName: null, personal: true },
      { ref: whatsApp.ref, type: 'WHATSAPP', address: whatsApp.address, displayName: null, personal: false },
    ]);
    app.close();
  });
});

describe('media nodes', () => {
  test('without the secret are rejected', async () => {
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

  test('health and readiness are served, and metrics on a separate port', async () => {
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
