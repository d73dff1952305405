import { getCall } from '@clarion/core/call/get-call';
import { parseState } from '@clarion/core/call-engine/stored';
import { boardAgents } from '@clarion/core/call-engine/board-agents';
import { MAX_MONITORS_PER_CALL } from '@clarion/core/call-machine/timing';
import { writeTicket } from '@clarion/core/realtime-ticket/ticket';
import { createSecretBox } from '@clarion/core/security/secret-box';
import { putTenant } from '@clarion/core/tenant/put-tenant';
import type { Agent, StaffUser, Tenant } from '@clarion/db';
import type { MonitoringMode } from '@clarion/protocol';
import { MAX_DASHBOARD_SOCKETS_PER_SESSION } from '@clarion/protocol/socket';
import type { FakeMedia } from '@clarion/testkit/peers/fake-media';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Realtime } from '../src/server.ts';
import { apiOf } from './api.ts';
import { AppSocket } from './app-socket.ts';
import { MASTER_KEY, RealtimeFixture } from './fixture.ts';

const secrets = createSecretBox([MASTER_KEY]);
const DAY_MS = 24 * 60 * 60_000;
/** A page without access is disconnected within this time. */
const CUT_WITHIN_MS = 1_000;

let fixture: RealtimeFixture;
let node: Realtime & { url: string };
let other: Realtime & { url: string };
let media: FakeMedia;
let olga: StaffUser;
let counter = 0;
const open = new Set<AppSocket>();

beforeAll(async () => {
  fixture = await RealtimeFixture.create();
  node = await fixture.startNode();
  other = await fixture.startNode();
  media = await fixture.media([node, other]);
});
afterAll(() => fixture.close());

beforeEach(async () => {
  await allow('LISTEN', 'WHISPER', 'BARGE');
  olga = await fixture.db.staffUser.create({
    data: {
      consumerId: fixture.consumer.id,
      email: `olga${++counter}@acme.test`,
      name: 'Olga Owner',
      role: 'OWNER',
    },
  });
  return () => {
    for (const page of open) page.close();
    open.clear();
  };
});

async function allow(...modes: MonitoringMode[]): Promise<void> {
  const settings = { monitoring: { modes } };
  await putTenant(apiOf(fixture), fixture.tenant.ref, { name: 'One', status: 'ACTIVE', settings });
}

/** A session of a dashboard user, or (without) of a person launched into the tenant. */
async function session(staff: StaffUser | null = olga): Promise<number> {
  const { id } = await fixture.db.dashboardSession.create({
    data: {
      consumerId: fixture.consumer.id,
      hash: Buffer.from(`session ${++counter}`),
      name: staff?.name ?? 'Lars Launched',
      role: staff?.role ?? 'SUPERVISOR',
      ...(staff ? { staffUserId: staff.id } : { tenantId: fixture.tenant.id, userRef: 'lars' }),
      expiresAt: new Date(Date.now() + DAY_MS),
    },
  });
  return id;
}

const ticketFor = (sessionId: number, tenant: Tenant = fixture.tenant, expiresAt = Date.now() + 60_000) =>
  writeTicket(secrets, { sessionId, tenantId: tenant.id, expiresAt });

/** A page that has been admitted. */
async function page(sessionId: number, at: { url: string } = node, deviceId = `page-${++counter}`) {
  const socket = AppSocket.page(at.url, ticketFor(sessionId), deviceId);
  open.add(socket);
  await socket.watching();
  return socket;
}
const refusal = async (ticket: string, at: { url: string } = node): Promise<string> => {
  const socket = AppSocket.page(at.url, ticket, 'page');
  open.add(socket);
  return socket.watching().then(
    () => 'let in',
    (error: Error) => error.message,
  );
};

interface Answered {
  row: Agent;
  app: AppSocket;
  callId: number;
  customerLeg: string;
}
/** An answered call of a new agent's queue. */
async function answered(): Promise<Answered> {
  const row = await fixture.agent(`agent-${++counter}`, { shift: 'AVAILABLE' });
  const queue = await fixture.queue([row], { wrapUpSeconds: 0 });
  const line = await fixture.line({ inboundQueueId: queue.id });
  const app = await fixture.app(node, row.ref);
  open.add(app);
  const { answer, question } = await media.invite({ requestUser: line.address.slice(1) });
  if (answer.action !== 'accept') throw new Error('refused');
  const { callId } = answer;
  await app.next('call:incoming');
  await app.ask('call:accept', { callId, sdpOffer: 'offer' });
  await app.next('call:updated', ({ call }) => call.answeredAt !== null);
  return { row, app, callId, customerLeg: question.legId };
}
const listen = (socket: AppSocket, callId: number, mode: MonitoringMode = 'LISTEN') =>
  socket.ask('monitor:start', { callId, sdpOffer: 'ears', mode });
const participants = async (callId: number) => (await getCall(apiOf(fixture), callId)).participants;
const monitorLeg = async (callId: number) =>
  (await getCall(apiOf(fixture), callId)).legs.find(({ type }) => type === 'MONITOR');
const monitorsOf = async (callId: number) => {
  const state = parseState((await fixture.db.liveCall.findUniqueOrThrow({ where: { callId } })).state);
  return state.phase === 'talking' ? state.monitors : [];
};

describe('the ticket', () => {
  test('is rejected if it is for another tenant, has expired or is missing', async () => {
    const sessionId = await session(null);
    const elsewhere = await fixture.db.tenant.create({
      data: { consumerId: fixture.consumer.id, ref: `t${++counter}`, name: 'Two' },
    });
    expect(await refusal(ticketFor(sessionId, elsewhere))).toBe('unauthorized');
    expect(await refusal(ticketFor(sessionId, fixture.tenant, Date.now() - 1))).toBe('unauthorized');
    expect(await refusal('nothing')).toBe('unauthorized');
    expect(await refusal(ticketFor(2 ** 30))).toBe('unauthorized');
    expect(await refusal(ticketFor(sessionId))).toBe('let in');
  });

  test('a session is limited to a number of pages across all nodes', async () => {
    const sessionId = await session();
    for (let index = 0; index < MAX_DASHBOARD_SOCKETS_PER_SESSION; index += 1) {
      await page(sessionId, index % 2 === 0 ? node : other);
    }
    expect(await refusal(ticketFor(sessionId), other)).toBe('rate_limited');
    expect(await refusal(ticketFor(await session()))).toBe('let in');
  });
});

describe('the board', () => {
  test('is shown whatever the team_view setting, with the current agents', async () => {
    const settings = { teamView: false };
    await putTenant(apiOf(fixture), fixture.tenant.ref, { name: 'One', status: 'ACTIVE', settings });
    const socket = await page(await session(null), other);
    const { callId, row } = await answered();
    const board = await socket.ask('board:subscribe', {});
    expect(board.calls).toMatchObject([
      { callId, channelType: 'SIP', state: 'active', recording: 'OFF', agent: { agentId: row.id } },
    ]);
    const known = board.agents.find(({ agentId }) => agentId === row.id);
    expect(known).toMatchObject({ state: 'ON_CALL', connected: true, callId });
    expect(Date.parse(known?.since ?? '')).toBeGreaterThan(Date.now() - 60_000);
    socket.clearReceived();
    await fixture.terminate(callId);
    await socket.next('board:call', (change) => 'removed' in change && change.removed === callId);
    const said = await socket.next('board:agents', ({ agents }) =>
      agents.some(({ agentId, state }) => agentId === row.id && state === 'AVAILABLE'),
    );
    const truth = await boardAgents(fixture.db, fixture.tenant.id, new Date());
    expect(said.agents.find(({ agentId }) => agentId === row.id)).toEqual(
      truth.find(({ agentId }) => agentId === row.id),
    );
  });
});

describe('listening', () => {
  test('is recorded with the name of the listener, in the call and in the audit log', async () => {
    const { callId, app } = await answered();
    const isConnected = async () => (await monitorsOf(callId))[0]?.connected;
    const sue = await fixture.agent(`sue-${++counter}`, { role: 'SUPERVISOR' });
    const suesApp = await fixture.app(node, sue.ref);
    open.add(suesApp);
    await listen(suesApp, callId);
    await expect.poll(isConnected).toBe(true);
    expect(await monitorLeg(callId)).toMatchObject({ agentId: sue.id });
    await suesApp.ask('monitor:stop', { callId });
    const socket = await page(await session(), other);
    const { monitorId } = await listen(socket, callId);
    await expect.poll(isConnected).toBe(true);
    expect(await monitorLeg(callId)).toMatchObject({ agentId: null, state: 'CONNECTED' });
    await socket.ask('monitor:mode', { callId, mode: 'WHISPER' });
    await socket.ask('monitor:stop', { callId });
    expect(monitorId).toEqual(expect.any(String));
    await expect
      .poll(async () => (await participants(callId)).at(-1))
      .toMatchObject({
        kind: 'DASHBOARD',
        listenerName: 'Olga Owner',
        agentId: null,
        agentRef: null,
        leaveReason: 'MONITOR_STOPPED',
      });
    const entries = await fixture.db.auditEntry.findMany({
      where: { action: 'call.monitor', target: String(callId) },
      orderBy: { id: 'asc' },
    });
    expect(entries).toMatchObject([
      { actorKind: 'dashboardUser', actorId: String(olga.id), actorName: 'Olga Owner', surface: 'dashboard' },
      { details: { mode: 'WHISPER' }, tenantId: fixture.tenant.id },
    ]);
    app.close();
    await fixture.terminate(callId);
  });

  test('respects the modes of the tenant, except that listening is always allowed here', async () => {
    const { callId } = await answered();
    const socket = await page(await session());
    expect((await socket.watching()).monitoringModes).toEqual(['LISTEN', 'WHISPER', 'BARGE']);
    await listen(socket, callId, 'BARGE');
    socket.clearReceived();
    await allow();
    expect((await socket.next('watching')).monitoringModes).toEqual(['LISTEN']);
    expect(await socket.next('monitor:updated')).toMatchObject({ callId, mode: 'LISTEN' });
    await expect(socket.ask('monitor:mode', { callId, mode: 'BARGE' })).rejects.toThrow('forbidden');
    await expect(listen(socket, callId, 'WHISPER')).rejects.toThrow('forbidden');
    await listen(socket, callId);
    await fixture.terminate(callId);
    expect(await socket.next('monitor:ended', ({ reason }) => reason === 'CALL_ENDED')).toMatchObject({
      callId,
    });
  });

  test('of another tenant is not found, and agents’ messages are unknown here', async () => {
    const elsewhere = await fixture.db.tenant.create({
      data: { consumerId: fixture.consumer.id, ref: `t${++counter}`, name: 'Two' },
    });
    const { callId } = await answered();
    const sessionId = await session();
    const socket = AppSocket.page(node.url, ticketFor(sessionId, elsewhere), 'page');
    open.add(socket);
    await socket.watching();
    await expect(listen(socket, callId)).rejects.toThrow('not_found');
    await expect(socket.ask('call:hangup', { callId })).rejects.toThrow('invalid_request');
    await fixture.terminate(callId);
  });

  test('ends when the page disconnects, unless another socket of the page is connected', async () => {
    const { callId } = await answered();
    const sessionId = await session();
    const first = await page(sessionId, node, 'mine');
    await listen(first, callId);
    const second = await page(sessionId, other, 'mine');
    expect((await second.watching()).monitors).toMatchObject([{ callId, deviceId: 'mine', mode: 'LISTEN' }]);
    first.close();
    // A disconnection is recorded before the node replies to a later page.
    await (await page(sessionId)).ask('board:subscribe', {});
    expect(await monitorsOf(callId)).toHaveLength(1);
    second.close();
    await expect.poll(() => monitorsOf(callId)).toEqual([]);
    await fixture.terminate(callId);
  });

  test('is limited in number, across apps and the dashboard', async () => {
    const { callId } = await answered();
    const sessionId = await session();
    for (let index = 0; index < MAX_MONITORS_PER_CALL; index += 1)
      await listen(await page(sessionId), callId);
    const late = await page(sessionId);
    await expect(listen(late, callId)).rejects.toThrow('invalid_state');
    const sue = await fixture.agent(`sue-${++counter}`, { role: 'SUPERVISOR' });
    const app = await fixture.app(node, sue.ref);
    open.add(app);
    await expect(listen(app, callId)).rejects.toThrow('invalid_state');
    await fixture.terminate(callId);
  });
});

describe('a page that loses access is disconnected immediately and hears nothing more, when', () => {
  test.each([
    ['the session is revoked', (id: number) => change(id, { revokedAt: new Date() }), 'unauthorized'],
    ['the session has ended', (id: number) => change(id, { expiresAt: new Date(0) }), 'unauthorized'],
    [
      'the session is deleted',
      (id: number) => fixture.db.dashboardSession.delete({ where: { id } }),
      'unauthorized',
    ],
    [
      'the user is disabled',
      () => fixture.db.staffUser.update({ where: { id: olga.id }, data: { disabledAt: new Date() } }),
      'unauthorized',
    ],
    ['the user is deleted', () => fixture.db.staffUser.delete({ where: { id: olga.id } }), 'unauthorized'],
  ] as const)('%s', async (_, act, code) => {
    const { callId } = await answered();
    const sessionId = await session();
    // On another node: the one that is notified ends the monitoring.
    const socket = await page(sessionId, other);
    await listen(socket, callId);
    await act(sessionId);
    const at = Date.now();
    expect(await socket.next('error')).toMatchObject({ code });
    await expect.poll(() => socket.socket.connected).toBe(false);
    await expect.poll(() => monitorsOf(callId)).toEqual([]);
    expect(Date.now() - at).toBeLessThan(CUT_WITHIN_MS);
    expect(await refusal(ticketFor(sessionId))).toBe('unauthorized');
    await fixture.terminate(callId);
  });

  test('a suspended tenant cannot be watched, and a page receives its permissions after a change of role', async () => {
    const socket = await page(await session());
    socket.clearReceived();
    await fixture.db.staffUser.update({ where: { id: olga.id }, data: { role: 'SUPERVISOR' } });
    expect((await socket.next('watching')).monitoringModes).toEqual(['LISTEN', 'WHISPER', 'BARGE']);
    await putTenant(apiOf(fixture), fixture.tenant.ref, { name: 'One', status: 'SUSPENDED', settings: {} });
    expect(await socket.next('error')).toMatchObject({ code: 'tenant_suspended' });
  });
});

const change = (id: number, data: { revokedAt?: Date; expiresAt?: Date }) =>
  fixture.db.dashboardSession.update({ where: { id }, data });
