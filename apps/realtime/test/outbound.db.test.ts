import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { legEndOf, unanswerableOffer } from '@clarion/testkit/peers/fake-media';
import type { FakeMedia } from '@clarion/testkit/peers/fake-media';
import type { Agent, Channel, SipTrunk } from '@clarion/db';
import type { Realtime } from '../src/server.ts';
import { AppSocket } from './app-socket.ts';
import { RealtimeFixture } from './fixture.ts';

let fixture: RealtimeFixture;
let node: Realtime & { url: string };
let media: FakeMedia;
let agent: Agent;
let line: Channel;
let app: AppSocket;
let counter = 0;

beforeAll(async () => {
  fixture = await RealtimeFixture.create();
  node = await fixture.startNode();
  media = await fixture.media([node]);
});
afterAll(() => fixture.close());
beforeEach(async () => {
  agent = await fixture.agent(`caller-${++counter}`);
  line = await fixture.line({});
  app = await fixture.app(node, agent.ref);
  return () => app.close();
});

async function dialled(backup?: SipTrunk) {
  const { id: callId } = await fixture.intent(agent, line, backup);
  const reply = await app.ask('call:start', { callId, sdpOffer: 'offer' });
  const dial = await media.command('carrier:dial', callId);
  return { callId, dial, reply };
}

describe('keys that the agent presses before the customer answers', () => {
  test('are sent to media once the customer is dialled, and are rejected before', async () => {
    const { onAgentConnect } = media.behaviour;
    media.behaviour.onAgentConnect = () => undefined;
    const { id: callId } = await fixture.intent(agent, line);
    await app.ask('call:start', { callId, sdpOffer: 'offer' });
    media.behaviour.onAgentConnect = onAgentConnect;
    await expect(app.ask('call:dtmf', { callId, digits: '1' })).rejects.toThrow('invalid_state');
    const { legId } = await media.command('agent:connect', callId);
    media.connected(callId, legId);
    const dial = await media.command('carrier:dial', callId);
    await app.ask('call:dtmf', { callId, digits: '2' });
    expect(await media.command('leg:dtmf', callId)).toMatchObject({ legId: dial.legId, digits: '2' });
    await app.ask('call:hangup', { callId });
    await fixture.ended(callId);
  });

  test('are sent to media again while it is still creating the leg', async () => {
    const { callId, dial } = await dialled();
    const leg = media.legs.get(dial.legId);
    media.legs.delete(dial.legId);
    await app.ask('call:dtmf', { callId, digits: '3' });
    await media.command('leg:dtmf', callId);
    if (leg) media.legs.set(dial.legId, leg);
    await media.until(
      () => media.commands.filter(({ command }) => command === 'leg:dtmf').length > 1 || undefined,
      'the keys again',
    );
    await app.ask('call:hangup', { callId });
    await fixture.ended(callId);
  });
});

test('keys that are sent again because their effect was not settled have the same ID', async () => {
  const { callId } = await dialled();
  const idsOf = (digits: string) =>
    media.commands.flatMap(({ command, payload }) =>
      command === 'leg:dtmf' && payload.callId === callId && payload.digits === digits ? [payload.id] : [],
    );
  await fixture.db.$executeRaw`create rule unsettled as on delete to "EngineOutbox" do instead nothing`;
  try {
    await app.ask('call:dtmf', { callId, digits: '4' });
    await media.until(() => idsOf('4').length === 1 || undefined, 'the first key');
    await fixture.db.$executeRaw`
      update "EngineOutbox" set "claimedUntil" = null
      where "callId" = ${callId} and "effects"::text like '%leg:dtmf%'`;
    await media.until(() => idsOf('4').length === 2 || undefined, 'the first key again');
  } finally {
    await fixture.db.$executeRaw`drop rule unsettled on "EngineOutbox"`;
  }
  await app.ask('call:dtmf', { callId, digits: '5' });
  await media.until(() => idsOf('5').length === 1 || undefined, 'the second key');
  const [first, again] = idsOf('4');
  expect(first).toMatch(/^\d+$/);
  expect(again).toBe(first);
  expect(idsOf('5')).not.toContain(first);
  await app.ask('call:hangup', { callId });
  await fixture.ended(callId);
});

describe('an outbound call', () => {
  test('appears on a board that was open when the call was created, which is told of no removed call', async () => {
    const watcher = await fixture.agent(`watcher-${counter}`, { role: 'SUPERVISOR' });
    const board = new AppSocket(node.url, fixture.token(watcher.ref, { role: 'SUPERVISOR' }));
    await board.session();
    await board.ask('board:subscribe', {});
    const { id: callId } = await fixture.intent(agent, line);
    await fixture.until(
      async () => ((await fixture.db.engineOutbox.count({ where: { callId } })) === 0 ? true : undefined),
      'the effects of the intent',
    );
    await app.ask('call:start', { callId, sdpOffer: 'offer' });
    const first = await board.next('board:call', (change) =>
      'call' in change ? change.call.callId === callId : change.removed === callId,
    );
    expect(first).toMatchObject({ call: { callId } });
    board.close();
    await app.ask('call:hangup', { callId });
    await fixture.ended(callId);
  });

  test('is started, dialled, answered and ended by the agent', async () => {
    const { callId, dial, reply } = await dialled();
    expect(reply).toMatchObject({
      sdpAnswer: 'answer to offer',
      call: { state: 'dialing', direction: 'OUTBOUND' },
    });
    expect(dial).toMatchObject({
      attempts: [
        {
          called: '447700900456',
          caller: line.address.slice(1),
          trunk: { host: '127.0.0.1', codecs: ['PCMA', 'PCMU'], password: null },
        },
      ],
      ringTimeoutMs: 60_000,
    });
    media.ringing(callId, dial.legId);
    const ringing = await media.command('call:route', callId, ({ route }) =>
      Object.values(route).some((sources) => sources.some((source) => source.kind === 'tone')),
    );
    media.connected(callId, dial.legId);
    await app.next('call:updated', ({ call }) => call.state === 'active');
    const talking = await media.command('call:route', callId, ({ revision }) => revision > ringing.revision);
    expect(talking.route[dial.legId]).toHaveLength(1);
    await app.ask('call:dtmf', { callId, digits: '12#' });
    expect(await media.command('leg:dtmf', callId)).toMatchObject({ legId: dial.legId, digits: '12#' });
    await app.ask('call:hold', { callId, held: true });
    await media.command('call:route', callId, ({ route }) => route[dial.legId]?.[0]?.kind === 'tone');
    await app.ask('call:hold', { callId, held: false });
    await app.ask('call:hangup', { callId });
    await media.released(callId);
    expect(await fixture.ended(callId)).toMatchObject({
      terminationReason: 'COMPLETED',
      terminatedBy: 'AGENT',
      externalRef: 'order-7',
      agentRef: agent.ref,
    });
    expect(await fixture.eventsOf(callId)).toEqual([
      'call.created',
      'call.ringing',
      'call.answered',
      'call.ended',
    ]);
  });

  test.each([
    ['busy', legEndOf('rejected', { sipStatus: 486 }), 'TERMINATED', 'REJECTED', 'CUSTOMER'],
    ['no answer', legEndOf('no-answer-local'), 'TERMINATED', 'NO_ANSWER', 'CUSTOMER'],
    ['carrier failure', legEndOf('rejected', { sipStatus: 503 }), 'FAILED', 'PROVIDER_ERROR', 'PROVIDER'],
    ['unreachable', legEndOf('unreachable'), 'FAILED', 'PROVIDER_TRIGGER_FAILED', 'SYSTEM'],
  ] as const)('%s ends it %s', async (_, end, status, terminationReason, terminatedBy) => {
    const { callId, dial } = await dialled();
    media.ended(callId, dial.legId, end);
    expect((await app.next('call:ended')).call).toMatchObject({ terminationReason, terminatedBy });
    expect(await fixture.ended(callId)).toMatchObject({ status, terminationReason, terminatedBy });
    await media.released(callId);
    expect(await fixture.agentRow(agent.id)).toMatchObject({ currentCallId: null });
  });

  test('the agent hangs up before the answer: CANCELLED by AGENT', async () => {
    const { callId } = await dialled();
    await app.ask('call:hangup', { callId });
    await media.released(callId);
    expect(await fixture.ended(callId)).toMatchObject({
      terminationReason: 'CANCELLED',
      terminatedBy: 'AGENT',
    });
  });

  test('is terminated by the consumer from another process while it rings: CANCELLED by CONSUMER, and its legs are released', async () => {
    const { callId, dial } = await dialled();
    media.ringing(callId, dial.legId);
    await fixture.terminate(callId);
    await media.released(callId);
    expect((await app.next('call:ended')).call).toMatchObject({ terminatedBy: 'CONSUMER' });
    expect(await fixture.ended(callId)).toMatchObject({
      terminationReason: 'CANCELLED',
      terminatedBy: 'CONSUMER',
    });
  });

  test('an intent that is not started in time ends as CANCELLED by SYSTEM', async () => {
    const { id: callId } = await fixture.intent(agent, line);
    // As if two minutes had passed: only the stored deadline counts.
    await fixture.db.$executeRaw`update "LiveCall" set "nextDeadlineAt" = now(),
      "state" = jsonb_set("state", '{startBy}', '0') where "callId" = ${callId}`;
    expect(await fixture.ended(callId)).toMatchObject({
      terminationReason: 'CANCELLED',
      terminatedBy: 'SYSTEM',
    });
    expect(await fixture.eventsOf(callId)).toEqual(['call.created', 'call.ended']);
  });

  test('an agent on a call cannot start another: agent_busy, and the intent remains', async () => {
    const { callId } = await dialled();
    const second = await fixture.intent(agent, line);
    await expect(app.ask('call:start', { callId: second.id, sdpOffer: 'offer' })).rejects.toThrow(
      'agent_busy',
    );
    expect(await fixture.db.liveCall.count({ where: { callId: second.id } })).toBe(1);
    await app.ask('call:hangup', { callId });
    await app.ask('call:hangup', { callId: second.id });
    expect(await fixture.ended(second.id)).toMatchObject({
      terminationReason: 'CANCELLED',
      terminatedBy: 'AGENT',
    });
  });

  test("another agent's or another tenant's call cannot be changed", async () => {
    const { callId } = await dialled();
    await fixture.agent('colleague');
    const colleague = await fixture.app(node, 'colleague');
    await expect(colleague.ask('call:resume', { callId, sdpOffer: 'x' })).rejects.toThrow('invalid_state');
    await colleague.ask('call:hangup', { callId });
    expect(await fixture.db.liveCall.count({ where: { callId } })).toBe(1);
    await fixture.db.tenant.create({
      data: { consumerId: fixture.consumer.id, ref: `t-${callId}`, name: 'Two' },
    });
    const foreign = new AppSocket(node.url, fixture.token('colleague', { tnt: `t-${callId}` }));
    await foreign.session();
    await expect(foreign.ask('call:hangup', { callId })).rejects.toThrow('not_found');
    colleague.close();
    foreign.close();
    await app.ask('call:hangup', { callId });
  });

  test('if media cannot answer the SDP offer, the app receives an error and the call ends as FAILED', async () => {
    const { id: callId } = await fixture.intent(agent, line);
    await expect(app.ask('call:start', { callId, sdpOffer: unanswerableOffer })).rejects.toThrow(
      'invalid_request',
    );
    expect(await fixture.ended(callId)).toMatchObject({
      status: 'FAILED',
      terminationReason: 'SYSTEM_ERROR',
    });
    expect(await fixture.agentRow(agent.id)).toMatchObject({ currentCallId: null });
  });
});

describe('an agent who disconnects for a moment', () => {
  async function talking() {
    const { callId, dial } = await dialled();
    media.connected(callId, dial.legId);
    await app.next('call:updated', ({ call }) => call.state === 'active');
    return { callId, carrierLegId: dial.legId };
  }

  test('reloads and resumes the same call on a new leg', async () => {
    const { callId, carrierLegId } = await talking();
    const before = await media.command('agent:connect', callId);
    app.close();
    await fixture.until(
      async () =>
        (await fixture.db.callLifecycle.count({ where: { callId, type: 'AGENT_LOST' } })) > 0
          ? true
          : undefined,
      'the loss to be noted',
    );
    app = await fixture.app(node, agent.ref);
    const session = await app.next('session');
    expect(session.calls).toMatchObject([{ callId, state: 'active', deviceId: 'device-1' }]);
    const { sdpAnswer } = await app.ask('call:resume', { callId, sdpOffer: 'again' });
    expect(sdpAnswer).toBe('answer to again');
    const connect = await media.command('agent:connect', callId, ({ sdpOffer }) => sdpOffer === 'again');
    expect(connect.replaces).toBe(before.legId);
    await media.command('call:route', callId, ({ route }) =>
      Boolean(route[carrierLegId]?.some((source) => source.kind === 'leg' && source.legId === connect.legId)),
    );
    await app.ask('call:hangup', { callId });
    expect(await fixture.ended(callId)).toMatchObject({ terminationReason: 'COMPLETED' });
  });

  test('moves the call to another device', async () => {
    const { callId } = await talking();
    const phone = await fixture.app(node, agent.ref, 'phone');
    await phone.ask('call:resume', { callId, sdpOffer: 'phone' });
    await phone.next('call:updated', ({ call }) => call.deviceId === 'phone');
    await phone.ask('call:hangup', { callId });
    await fixture.ended(callId);
    phone.close();
  });

  test('and does not return: AGENT_DISCONNECTED after the grace period', async () => {
    const { callId } = await talking();
    app.close();
    await fixture.until(async () => {
      const moved = await fixture.db.$executeRaw`update "LiveCall" set "nextDeadlineAt" = now(),
        "state" = jsonb_set("state", '{agent,socketsLostAt}', '0')
        where "callId" = ${callId} and "state"->'agent'->>'socketsLostAt' is not null`;
      return moved === 1 ? true : undefined;
    }, 'the grace to begin');
    expect(await fixture.ended(callId)).toMatchObject({
      terminationReason: 'AGENT_DISCONNECTED',
      terminatedBy: 'SYSTEM',
    });
    await media.released(callId);
  });
});

describe('a line with a backup trunk', () => {
  let backup: SipTrunk;
  beforeAll(async () => {
    const data = {
      consumerId: fixture.consumer.id,
      name: 'backup',
      ingressLabel: 'backup',
      host: '127.0.0.2',
    };
    backup = await fixture.db.sipTrunk.create({ data: { ...data, status: 'ACTIVE' } });
  });
  const setStatus = (id: number, status: SipTrunk['status']) =>
    fixture.db.sipTrunk.update({ where: { id }, data: { status } });

  test('is dialled with both, and the call names the one that carried it', async () => {
    const { callId, dial } = await dialled(backup);
    expect(dial.attempts).toMatchObject([
      { trunk: { trunkId: fixture.trunk.id, host: '127.0.0.1' }, called: '447700900456' },
      { trunk: { trunkId: backup.id, host: '127.0.0.2' }, called: '+447700900456', caller: line.address },
    ]);
    media.connected(callId, dial.legId, backup.id);
    await app.next('call:updated', ({ call }) => call.state === 'active');
    await app.ask('call:hangup', { callId });
    expect(await fixture.ended(callId)).toMatchObject({ sipTrunkId: backup.id });
  });

  test('whose first trunk is not active is dialled on the other one', async () => {
    await setStatus(fixture.trunk.id, 'DISABLED');
    const { callId, dial } = await dialled(backup).finally(() => setStatus(fixture.trunk.id, 'ACTIVE'));
    expect(dial.attempts.map(({ trunk }) => trunk.trunkId)).toEqual([backup.id]);
    media.ringing(callId, dial.legId, backup.id);
    await app.ask('call:hangup', { callId });
    await fixture.ended(callId);
  });

  test('whose trunks are both not active is not dialled', async () => {
    await setStatus(fixture.trunk.id, 'DISABLED');
    await setStatus(backup.id, 'SUSPENDED');
    const { id: callId } = await fixture.intent(agent, line, backup);
    await app.ask('call:start', { callId, sdpOffer: 'offer' });
    const ended = await fixture.ended(callId);
    await setStatus(fixture.trunk.id, 'ACTIVE');
    expect(ended).toMatchObject({ terminationReason: 'PROVIDER_TRIGGER_FAILED', terminatedBy: 'SYSTEM' });
  });
});
