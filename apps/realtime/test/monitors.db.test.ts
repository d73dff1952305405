import { putAgent } from '@clarion/core/agent/put-agent';
import { deleteAgent } from '@clarion/core/agent/delete-agent';
import { getCall } from '@clarion/core/call/get-call';
import { putTenant } from '@clarion/core/tenant/put-tenant';
import type { Agent } from '@clarion/db';
import type { MonitoringMode } from '@clarion/protocol';
import type { Route } from '@clarion/protocol/media';
import { unanswerableOffer } from '@clarion/testkit/peers/fake-media';
import type { FakeMedia } from '@clarion/testkit/peers/fake-media';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Realtime } from '../src/server.ts';
import { apiOf } from './api.ts';
import { AppSocket } from './app-socket.ts';
import { World } from './world.ts';

let world: World;
let node: Realtime & { url: string };
let other: Realtime & { url: string };
let media: FakeMedia;
let counter = 0;
/** Whoever may no longer listen is cut off within this time. */
const CUT_WITHIN_MS = 1_000;

beforeAll(async () => {
  world = await World.create();
  node = await world.startNode();
  other = await world.startNode();
  media = await world.media([node, other]);
});
afterAll(() => world.close());

/** An agent with an answered call, and a supervisor who is signed in on the other node. */
let agent: { row: Agent; app: AppSocket };
let sue: { row: Agent; app: AppSocket };
let callId: number;
let customerLeg: string;

async function allow(...modes: MonitoringMode[]): Promise<void> {
  const settings = { monitoring: { modes } };
  await putTenant(apiOf(world), world.tenant.ref, { name: 'One', status: 'ACTIVE', settings });
}

/** An answered call of a new agent's queue. */
async function answered(): Promise<{ row: Agent; app: AppSocket; callId: number; legId: string }> {
  const row = await world.agent(`agent-${++counter}`, { shift: 'AVAILABLE' });
  const queue = await world.queue([row], { wrapUpSeconds: 0 });
  const line = await world.line({ inboundQueueId: queue.id });
  const app = await world.app(node, row.ref);
  const { answer, question } = await media.invite({ requestUser: line.address.slice(1) });
  if (answer.action !== 'accept') throw new Error('refused');
  await app.next('call:incoming');
  await app.ask('call:accept', { callId: answer.callId, sdpOffer: 'offer' });
  await app.next('call:updated', ({ call }) => call.answeredAt !== null);
  return { row, app, callId: answer.callId, legId: question.legId };
}

beforeEach(async () => {
  await allow('LISTEN', 'WHISPER', 'BARGE');
  const call = await answered();
  agent = { row: call.row, app: call.app };
  ({ callId, legId: customerLeg } = call);
  const row = await world.agent(`sue-${++counter}`, { role: 'SUPERVISOR' });
  sue = { row, app: await world.app(other, row.ref, 'office') };
  return async () => {
    await world.terminate(callId);
    agent.app.close();
    sue.app.close();
  };
});

const start = (mode: MonitoringMode = 'LISTEN', app = sue.app) =>
  app.ask('monitor:start', { callId, sdpOffer: 'ears', mode });
const heardBy = (route: Route, legId: string) =>
  (route[legId] ?? []).map((source) => (source.kind === 'leg' ? source.legId : source.kind)).toSorted();
const routeWith = async (fits: (route: Route) => boolean) =>
  (await media.command('call:route', callId, ({ route }) => fits(route))).route;
const logOf = async () => {
  const rows = await world.db.callLifecycle.findMany({ where: { callId }, orderBy: { id: 'asc' } });
  return rows
    .filter(({ type }) => type.startsWith('MONITOR'))
    .map(({ type, metadata }) => ({ type, metadata }));
};
const listenersOf = async () => (await getCall(apiOf(world), callId)).participants.slice(2);

describe('a supervisor', () => {
  test('listens, whispers and barges; the log and the participants say so', async () => {
    const { sdpAnswer, monitorId } = await start();
    expect(sdpAnswer).toBe('answer to ears');
    expect(await media.command('agent:connect', callId, ({ legId }) => legId === monitorId)).toMatchObject({
      as: 'monitor',
    });
    const listening = await routeWith((route) => monitorId in route);
    const agentLeg =
      Object.keys(listening).find((legId) => legId !== customerLeg && legId !== monitorId) ?? '';
    expect(heardBy(listening, monitorId)).toEqual([agentLeg, customerLeg].toSorted());
    expect(heardBy(listening, customerLeg)).toEqual([agentLeg]);
    expect(heardBy(listening, agentLeg)).toEqual([customerLeg]);

    expect(await sue.app.ask('monitor:mode', { callId, mode: 'WHISPER' })).toMatchObject({ mode: 'WHISPER' });
    const whispering = await routeWith((route) => heardBy(route, agentLeg).includes(monitorId));
    expect(heardBy(whispering, customerLeg)).toEqual([agentLeg]);
    await sue.app.ask('monitor:mode', { callId, mode: 'BARGE' });
    const barging = await routeWith((route) => heardBy(route, customerLeg).includes(monitorId));
    expect(heardBy(barging, agentLeg)).toEqual([customerLeg, monitorId].toSorted());
    await sue.app.ask('monitor:stop', { callId });
    await media.until(() => (media.legs.has(monitorId) ? undefined : true), "the supervisor's leg to go");

    const by = { by: 'SUPERVISOR', name: sue.row.name };
    expect(await logOf()).toEqual([
      { type: 'MONITOR_STARTED', metadata: { ...by, mode: 'LISTEN' } },
      { type: 'MONITOR_MODE', metadata: { ...by, mode: 'WHISPER' } },
      { type: 'MONITOR_MODE', metadata: { ...by, mode: 'BARGE' } },
      { type: 'MONITOR_STOPPED', metadata: { ...by, reason: 'LEFT' } },
    ]);
    const { participants, legs } = await getCall(apiOf(world), callId);
    expect(participants[2]).toMatchObject({
      kind: 'SUPERVISOR',
      agentId: sue.row.id,
      agentRef: sue.row.ref,
      deviceId: 'office',
      leaveReason: 'MONITOR_STOPPED',
    });
    expect(legs.find(({ type }) => type === 'MONITOR')).toMatchObject({
      agentId: sue.row.id,
      state: 'DISCONNECTED',
    });
    expect(await world.eventsOf(callId)).toEqual(['call.created', 'call.ringing', 'call.answered']);
  });

  test('hears that the call has ended, and is in its participants until then', async () => {
    const { monitorId } = await start();
    await routeWith((route) => monitorId in route);
    await agent.app.ask('call:hangup', { callId });
    expect(await sue.app.next('monitor:ended')).toEqual({ callId, monitorId, reason: 'CALL_ENDED' });
    expect(await listenersOf()).toMatchObject([{ kind: 'SUPERVISOR', leaveReason: 'ENDED' }]);
    await media.released(callId);
  });

  test('whose device has no socket left listens no longer; a fresh socket of it keeps on', async () => {
    const { monitorId } = await start();
    await routeWith((route) => monitorId in route);
    const fresh = await world.app(node, sue.row.ref, 'office');
    expect((await fresh.next('session')).monitors).toEqual([
      { callId, monitorId, deviceId: 'office', mode: 'LISTEN' },
    ]);
    sue.app.close();
    await fresh.ask('monitor:mode', { callId, mode: 'WHISPER' });
    const since = performance.now();
    fresh.close();
    await media.until(() => (media.legs.has(monitorId) ? undefined : true), "the supervisor's leg to go");
    expect(performance.now() - since).toBeLessThan(CUT_WITHIN_MS);
    expect(await listenersOf()).toMatchObject([{ leaveReason: 'MONITOR_STOPPED' }]);
  });

  test('listens on one device, to one call: the newest', async () => {
    const first = await start();
    const home = await world.app(node, sue.row.ref, 'home');
    const second = await start('LISTEN', home);
    expect(await sue.app.next('monitor:ended')).toEqual({
      callId,
      monitorId: first.monitorId,
      reason: 'REPLACED',
    });
    const next = await answered();
    await home.ask('monitor:start', { callId: next.callId, sdpOffer: 'ears', mode: 'LISTEN' });
    await media.until(
      () => (media.legs.has(second.monitorId) ? undefined : true),
      'the first call to be left',
    );
    expect(media.legsOf(next.callId)).toHaveLength(3);
    await world.terminate(next.callId);
    home.close();
    next.app.close();
  });

  test('two at once are both there', async () => {
    const row = await world.agent(`tom-${++counter}`, { role: 'SUPERVISOR' });
    const tom = await world.app(node, row.ref);
    const barging = await start('BARGE');
    const listening = await start('LISTEN', tom);
    const route = await routeWith((one) => barging.monitorId in one && listening.monitorId in one);
    expect(heardBy(route, listening.monitorId)).toContain(barging.monitorId);
    expect(heardBy(route, barging.monitorId)).not.toContain(listening.monitorId);
    tom.close();
  });

  test('whose offer cannot be answered is told so, and is nowhere', async () => {
    await expect(
      sue.app.ask('monitor:start', { callId, sdpOffer: unanswerableOffer, mode: 'LISTEN' }),
    ).rejects.toThrow('invalid_request');
    expect(await listenersOf()).toEqual([]);
    expect(media.legsOf(callId)).toHaveLength(2);
  });
});

describe('what is refused', () => {
  test('to whoever is no supervisor', async () => {
    const row = await world.agent(`plain-${++counter}`);
    const app = await world.app(node, row.ref);
    await expect(start('LISTEN', app)).rejects.toThrow('forbidden');
    app.close();
  });

  test('a mode that the tenant does not allow', async () => {
    await allow('LISTEN');
    await expect(start('WHISPER')).rejects.toThrow('forbidden');
    await start();
    await expect(sue.app.ask('monitor:mode', { callId, mode: 'BARGE' })).rejects.toThrow('forbidden');
    await allow();
    await expect(start()).rejects.toThrow('forbidden');
  });

  test('a call that nobody has answered, has ended, is of nobody, or is their own', async () => {
    const row = await world.agent(`own-${++counter}`, { role: 'SUPERVISOR', shift: 'AVAILABLE' });
    const app = await world.app(node, row.ref);
    const queue = await world.queue([row]);
    const line = await world.line({ inboundQueueId: queue.id });
    const { answer } = await media.invite({ requestUser: line.address.slice(1) });
    if (answer.action !== 'accept') throw new Error('refused');
    const own = answer.callId;
    const listen = (to: AppSocket, id: number) =>
      to.ask('monitor:start', { callId: id, sdpOffer: 'ears', mode: 'LISTEN' });
    await expect(listen(sue.app, own)).rejects.toThrow('invalid_state');
    await app.next('call:incoming');
    await app.ask('call:accept', { callId: own, sdpOffer: 'offer' });
    await app.next('call:updated', ({ call }) => call.answeredAt !== null);
    await expect(listen(app, own)).rejects.toThrow('invalid_state');
    await app.ask('call:hangup', { callId: own });
    await expect(listen(sue.app, own)).rejects.toThrow('call_ended');
    await expect(listen(sue.app, 999_999_999)).rejects.toThrow('not_found');
    await expect(sue.app.ask('monitor:mode', { callId, mode: 'BARGE' })).rejects.toThrow('invalid_state');
    await expect(sue.app.ask('monitor:stop', { callId })).resolves.toBeDefined();
    app.close();
  });
});

describe('a call that began on the direct path', () => {
  /** The owner of a personal line is on a call while the tenant allows only LISTEN. */
  async function onDirectPath() {
    await allow('LISTEN');
    const row = await world.agent(`owner-${++counter}`);
    const line = await world.line({ ownerAgentId: row.id });
    const app = await world.app(node, row.ref);
    const { answer } = await media.invite({ requestUser: line.address });
    if (answer.action !== 'accept') throw new Error(answer.reason);
    const { callId } = answer;
    await app.next('call:incoming');
    await app.ask('call:accept', { callId, sdpOffer: 'offer' });
    await app.next('call:updated', ({ call }) => call.answeredAt !== null);
    const path = async () => (await world.db.call.findUniqueOrThrow({ where: { id: callId } })).mediaPath;
    expect(await path()).toBe('DIRECT');
    return { app, callId, path };
  }

  test('leaves it when the tenant allows whispering, and can be whispered into', async () => {
    const { app, callId, path } = await onDirectPath();
    await allow('LISTEN', 'WHISPER');
    await world.until(
      async () => ((await path()) === 'ROOM' ? true : undefined),
      'the call off the direct path',
    );
    const { monitorId } = await sue.app.ask('monitor:start', { callId, sdpOffer: 'ears', mode: 'WHISPER' });
    const { route } = await media.command('call:route', callId, (payload) => monitorId in payload.route);
    expect(heardBy(route, monitorId)).toHaveLength(2);
    await world.terminate(callId);
    app.close();
  });

  test('leaves it also if the notification of that was missed', async () => {
    const { app, callId, path } = await onDirectPath();
    const settings = { monitoring: { modes: ['LISTEN', 'BARGE'] } };
    await world.db.tenant.update({ where: { id: world.tenant.id }, data: { settings } });
    const apps = [agent.app, sue.app];
    for (const each of apps) each.forget();
    await world.cutConnections();
    await world.until(
      async () => ((await path().catch(() => null)) === 'ROOM' ? true : undefined),
      'the call off the direct path',
    );
    await world.terminate(callId);
    app.close();
    // The next test needs the fan-out between the nodes, which comes back a little later.
    await Promise.all(apps.map((each) => each.next('session')));
  });
});

describe('what is taken away', () => {
  test('a mode: who was in it goes on listening, or not at all where that is not allowed', async () => {
    const { monitorId } = await start('BARGE');
    await routeWith((route) => heardBy(route, customerLeg).includes(monitorId));
    await allow('LISTEN', 'WHISPER');
    expect(await sue.app.next('monitor:updated')).toEqual({ callId, monitorId, mode: 'LISTEN' });
    const newest = () =>
      media.commands.findLast(
        ({ command, payload }) => command === 'call:route' && payload.callId === callId,
      );
    await media.until(() => {
      const last = newest();
      return last?.command === 'call:route' && heardBy(last.payload.route, customerLeg).length === 1
        ? true
        : undefined;
    }, 'the customer to hear the agent alone');
    await allow('WHISPER');
    expect(await sue.app.next('monitor:ended')).toEqual({ callId, monitorId, reason: 'NOT_ALLOWED' });
    expect(await listenersOf()).toMatchObject([{ leaveReason: 'MONITOR_STOPPED' }]);
  });

  test('the role: by PUT, or by a token without it', async () => {
    const first = await start();
    await putAgent(apiOf(world), world.tenant.ref, sue.row.ref, { name: 'Sue', role: 'AGENT' });
    expect(await sue.app.next('monitor:ended')).toEqual({
      callId,
      monitorId: first.monitorId,
      reason: 'NOT_ALLOWED',
    });
    await putAgent(apiOf(world), world.tenant.ref, sue.row.ref, { name: 'Sue', role: 'SUPERVISOR' });
    sue.app.forget();
    const second = await start();
    const demoted = world.token(sue.row.ref, { role: 'AGENT' });
    const app = new AppSocket(node.url, demoted, 'home');
    await app.session();
    expect(await sue.app.next('monitor:ended')).toMatchObject({
      monitorId: second.monitorId,
      reason: 'NOT_ALLOWED',
    });
    app.close();
  });

  test('the agent: a deleted supervisor listens no longer, and the call goes on', async () => {
    const { monitorId } = await start();
    await routeWith((route) => monitorId in route);
    await deleteAgent(apiOf(world), world.tenant.ref, sue.row.ref);
    await media.until(() => (media.legs.has(monitorId) ? undefined : true), "the supervisor's leg to go");
    expect(await world.db.liveCall.count({ where: { callId } })).toBe(1);
  });
});
