/** Killed processes, a lost media node: the call continues, or ends once with a reason. */
import { stepCall } from '@clarion/core/call-engine/step-call';
import { legEndOf } from '@clarion/testkit/peers/fake-media';
import { describe, expect, test as base } from 'vitest';
import type { AppSocket } from './app-socket.ts';
import { expectOneEnding, ownFixture, talk } from './conversation.ts';
import type { RealtimeFixture } from './fixture.ts';

/** Longer than a heartbeat, the 6 s until a node is dead, and a round of housekeeping. */
const SLOW_MS = 45_000;
/** 6 s until a node is dead, a heartbeat each to notice it and to acquire the lease, and some for a busy machine. */
const TAKEOVER_MS = 14_000;

const test = base.extend<{ fixture: RealtimeFixture }>(ownFixture);

/** This many heartbeats of the only node from now on. */
async function heartbeats(fixture: RealtimeFixture, count: number): Promise<void> {
  const heartbeatAt = async () => (await fixture.db.realtimeNode.findFirstOrThrow()).heartbeatAt.getTime();
  for (let seen = 0; seen < count; seen += 1) {
    const last = await heartbeatAt();
    await fixture.until(async () => (await heartbeatAt()) > last || undefined, 'a heartbeat');
  }
}

/** First the tests without a process of their own, so that not all processes start at the same time. */
describe.concurrent('the dependencies of realtime', () => {
  test(
    'a node whose clean-up after a dead node is slow still sends heartbeats',
    async ({ fixture }) => {
      const node = await fixture.startNode();
      const media = await fixture.media([node]);
      const { callId } = await talk(fixture, node, media);
      const unlock = await fixture.lockCall(callId);
      await fixture.db.agentConnection.updateMany({ data: { nodeId: 'dead' } });
      await fixture.until(
        async () => (await fixture.db.agentConnection.count()) === 0 || undefined,
        'the connection to be removed',
      );
      await heartbeats(fixture, 2);
      expect(await fixture.logOf(callId)).not.toContain('AGENT_LOST');
      await unlock();
      await fixture.until(
        async () => (await fixture.logOf(callId)).includes('AGENT_LOST') || undefined,
        'the grace period to start',
      );
    },
    SLOW_MS,
  );

  test(
    'a node that was wrongly declared dead records its connections until it succeeds, whatever fails for one agent',
    async ({ fixture }) => {
      const { db } = fixture;
      const node = await fixture.startNode();
      const media = await fixture.media([node]);
      const unreadable = await talk(fixture, node, media);
      const { agent, callId } = await talk(fixture, node, media, 'ben');
      await db.$executeRaw`update "LiveCall" set "state" = '{}', "version" = "version" + 1 where "callId" = ${unreadable.callId}`;
      // A sequence keeps its value when the transaction fails.
      await db.$executeRaw`create sequence attempts`;
      await db.$executeRaw`
        create function fail() returns trigger language plpgsql as
          $$ begin perform nextval('attempts'); raise exception 'The database is read-only.'; end $$`;
      await db.$executeRaw`create trigger fail before insert on "AgentConnection" for each row execute function fail()`;
      await db.$transaction([db.agentConnection.deleteMany(), db.realtimeNode.deleteMany()]);
      await stepCall(db, callId, { type: 'agent-gone', agentId: agent.id }, new Date());
      await fixture.until(async () => {
        const [row] = await db.$queryRaw<{ tried: boolean }[]>`select is_called as "tried" from attempts`;
        return row?.tried || undefined;
      }, 'the first attempt');
      await db.$executeRaw`drop trigger fail on "AgentConnection"`;
      await fixture.until(
        async () => (await fixture.logOf(callId)).includes('AGENT_BACK') || undefined,
        'the grace period to end',
      );
      expect(await db.agentConnection.count({ where: { nodeId: node.nodeId } })).toBe(2);
    },
    SLOW_MS,
  );

  test(
    'if the media node is lost: FAILED, SYSTEM_ERROR, and the agent is released',
    async ({ fixture }) => {
      const node = await fixture.startNode();
      const media = await fixture.media([node]);
      const { app, callId, agent } = await talk(fixture, node, media);
      media.close();
      expect((await app.next('call:ended')).call).toMatchObject({
        terminationReason: 'SYSTEM_ERROR',
        terminatedBy: 'SYSTEM',
      });
      expect(await fixture.ended(callId)).toMatchObject({ status: 'FAILED' });
      expect(await fixture.agentRow(agent.id)).toMatchObject({ currentCallId: null });
      await expectOneEnding(fixture, callId);
    },
    SLOW_MS,
  );

  test(
    'if media gave up an INVITE before our decision arrived, an agent who accepts is soon notified and released',
    async ({ fixture }) => {
      const node = await fixture.startNode();
      const media = await fixture.media([node]);
      const agent = await fixture.agent('dora', { shift: 'AVAILABLE' });
      const line = await fixture.line({ inboundQueueId: (await fixture.queue([agent])).id });
      const app = await fixture.app(node, 'dora');
      const { answer, question } = await media.invite({ requestUser: line.address });
      if (answer.action !== 'accept') throw new Error(answer.reason);
      media.legs.delete(question.legId);
      await app.next('call:incoming');
      await app.ask('call:accept', { callId: answer.callId, sdpOffer: 'offer' });
      await app.next('call:ended');
      expect(await fixture.ended(answer.callId)).toMatchObject({
        status: 'FAILED',
        terminationReason: 'SYSTEM_ERROR',
      });
      expect(await fixture.agentRow(agent.id)).toMatchObject({ currentCallId: null });
    },
    SLOW_MS,
  );

  test(
    'a media node that has just connected accepts calls immediately',
    async ({ fixture }) => {
      const node = await fixture.startNode();
      const old = await fixture.media([node]);
      old.close();
      const line = await fixture.line({ inboundQueueId: (await fixture.queue([])).id });
      // Across several heartbeats, so that one occurs between the node's connection and its registration.
      for (let count = 0; count < 8; count += 1) {
        const fresh = await fixture.media([node]);
        const { answer } = await fresh.invite({ requestUser: line.address });
        if (answer.action !== 'accept') throw new Error(answer.reason);
        expect(await fixture.db.mediaNode.count({ where: { id: fresh.nodeId } })).toBe(1);
        await fixture.terminate(answer.callId);
        expect(await fixture.ended(answer.callId)).toMatchObject({ terminatedBy: 'CONSUMER' });
        fresh.close();
      }
    },
    SLOW_MS,
  );

  test(
    'if the media node returns without legs, its calls end, and legs of ended calls are released',
    async ({ fixture }) => {
      const node = await fixture.startNode();
      const media = await fixture.media([node]);
      const { callId } = await talk(fixture, node, media);
      media.legs.clear();
      media.legs.set('stray', { callId: 999_999, legId: 'stray', kind: 'carrier-in', state: 'CONNECTED' });
      media.reconnect();
      await media.released(999_999);
      expect(await fixture.ended(callId)).toMatchObject({
        status: 'FAILED',
        terminationReason: 'SYSTEM_ERROR',
      });
    },
    SLOW_MS,
  );
});

describe.concurrent('two nodes', () => {
  test(
    'the one that pings and registers the trunks dies: the other continues within seconds',
    async ({ fixture }) => {
      const dying = await fixture.startProcess();
      const media = await fixture.media([dying]);
      const { id: trunkId } = await fixture.db.sipTrunk.update({
        where: { id: fixture.trunk.id },
        data: { register: true, username: 'acme' },
      });
      const state = async () =>
        (await fixture.db.sipTrunkState.findUnique({ where: { trunkId } }))?.registration;
      await expect.poll(state, { timeout: 15_000 }).toMatchObject({ state: 'REGISTERED' });
      const staying = await fixture.startNode();
      const other = await fixture.media([staying]);
      await dying.kill();
      const killedAt = performance.now();
      await other.until(
        () => other.commands.find(({ command }) => command === 'trunk:register'),
        'a registration',
      );
      expect(performance.now() - killedAt).toBeLessThan(TAKEOVER_MS);
      expect(await state()).toMatchObject({ state: 'REGISTERED' });
      expect(media.commands.map(({ command }) => command)).not.toContain('trunk:unregister');
    },
    SLOW_MS,
  );

  test(
    'one dies: the other takes the timers over, offers its waiting calls and runs what it left undone',
    async ({ fixture }) => {
      const dying = await fixture.startProcess();
      const staying = await fixture.startNode();
      const mediaOfDying = await fixture.media([dying, staying]);
      const agent = await fixture.agent('bert');
      const queue = await fixture.queue([agent], { maxWaitSeconds: 10 });
      const line = await fixture.line({ inboundQueueId: queue.id });
      const app = await fixture.app(staying, 'bert');
      const waiting = await mediaOfDying.invite({ requestUser: line.address });
      if (waiting.answer.action !== 'accept') throw new Error(waiting.answer.reason);
      await dying.kill();
      // Its last step was committed and its effects were not run, because the process died in between.
      const { callId } = waiting.answer;
      await app.ask('availability:set', { status: 'AVAILABLE' });
      await app.next('call:incoming');
      await stepCall(fixture.db, callId, { type: 'decline', agentId: agent.id }, new Date(), {
        runsEffects: true,
      });
      expect(await app.next('call:withdrawn')).toMatchObject({ reason: 'DECLINED' });
      // The deadline of a call whose node is dead still fires.
      expect(await fixture.ended(callId)).toMatchObject({ terminationReason: 'TIMEOUT' });
      await mediaOfDying.released(callId);
    },
    SLOW_MS,
  );

  test(
    'one dies: whoever listened through it listens no longer, and the call goes on',
    async ({ fixture }) => {
      const dying = await fixture.startProcess();
      const staying = await fixture.startNode();
      const media = await fixture.media([staying, dying]);
      const { callId } = await talk(fixture, staying, media);
      await fixture.agent('sue', { role: 'SUPERVISOR' });
      const sue = await fixture.app(dying, 'sue');
      await sue.ask('monitor:start', { callId, sdpOffer: 'ears', mode: 'LISTEN' });
      expect(media.legsOf(callId)).toHaveLength(3);
      await dying.kill();
      await fixture.until(
        async () => (media.legsOf(callId).length === 2 ? true : undefined),
        'the leg to go',
      );
      expect(await fixture.db.liveCall.count({ where: { callId } })).toBe(1);
    },
    SLOW_MS,
  );

  test('an agent on one node answers a call that arrived on the other', async ({ fixture }) => {
    const [one, two] = [await fixture.startNode(), await fixture.startNode()];
    const media = await fixture.media([one]);
    const second = await fixture.media([two]);
    const agent = await fixture.agent('carl', { shift: 'AVAILABLE' });
    const line = await fixture.line({ inboundQueueId: (await fixture.queue([agent])).id });
    const app: AppSocket = await fixture.app(one, 'carl');
    const { answer } = await media.invite({ requestUser: line.address });
    if (answer.action !== 'accept') throw new Error(answer.reason);
    await app.next('call:incoming');
    await app.ask('call:accept', { callId: answer.callId, sdpOffer: 'offer' });
    await app.next('call:updated', ({ call }) => call.answeredAt !== null);
    expect(second.commands).toHaveLength(0);
    await fixture.terminate(answer.callId);
    await media.released(answer.callId);
    await expectOneEnding(fixture, answer.callId);
  });
});

describe.concurrent('SIGKILL of realtime mid-call', () => {
  test(
    'the audio continues, the agent returns to the call, and it ends once with the right duration',
    async ({ fixture }) => {
      const first = await fixture.startProcess();
      const media = await fixture.media([first]);
      const { callId, legId, agent } = await talk(fixture, first, media);
      await first.kill();
      expect(media.legsOf(callId)).toHaveLength(2);
      await fixture.startProcess({ port: first.port });
      const app = await fixture.app(first, agent.ref);
      expect((await app.next('session')).calls).toMatchObject([{ callId, state: 'active' }]);
      expect(media.legsOf(callId)).toHaveLength(2);
      media.ended(callId, legId, legEndOf('remote-bye'));
      const call = await fixture.ended(callId);
      expect(call).toMatchObject({ terminationReason: 'COMPLETED', terminatedBy: 'CUSTOMER' });
      await media.released(callId);
      await expectOneEnding(fixture, callId);
    },
    SLOW_MS,
  );

  test(
    'if the customer hangs up while no node is running, the call ends at that time, not when it is reported',
    async ({ fixture }) => {
      const first = await fixture.startProcess();
      const media = await fixture.media([first]);
      const { callId, legId } = await talk(fixture, first, media);
      await first.kill();
      const hungUp = new Date();
      media.ended(callId, legId, legEndOf('remote-bye'), hungUp);
      await fixture.startProcess({ port: first.port });
      const call = await fixture.ended(callId);
      expect(call.endedAt).toEqual(hungUp);
      await media.released(callId);
      await expectOneEnding(fixture, callId);
    },
    SLOW_MS,
  );
});

test.concurrent(
  'a socket that closes while the database rejects writes is recorded when it accepts them',
  async ({ fixture }) => {
    const node = await fixture.startNode();
    const agent = await fixture.agent('anna');
    const app = await fixture.app(node, 'anna');
    // A sequence also counts what is rolled back.
    await fixture.db.$executeRawUnsafe('create sequence refused');
    await fixture.db.$executeRawUnsafe(
      `create function refuse() returns trigger language plpgsql as
     'begin perform nextval(''refused''); raise exception ''not now''; end'`,
    );
    await fixture.db.$executeRawUnsafe(
      'create trigger refuse before delete on "AgentConnection" for each row execute function refuse()',
    );
    app.close();
    await fixture.until(async () => {
      const [row] = await fixture.db.$queryRaw<
        { called: boolean }[]
      >`select is_called as called from refused`;
      return row?.called ? true : undefined;
    }, 'the socket to go');
    await fixture.db.$executeRawUnsafe('drop trigger refuse on "AgentConnection"');
    await fixture.until(async () => {
      const left = await fixture.db.agentConnection.count({ where: { agentId: agent.id } });
      return left === 0 ? true : undefined;
    }, 'the closed socket to be recorded');
  },
);
