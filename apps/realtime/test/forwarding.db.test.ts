/** Forwarded calls: two carrier legs of one media node, which realtime connects and ends, whatever process dies. */
import { pruneForwardedCalls } from '@clarion/core/forwarding/forwarded-calls';
import type { ForwardedCall, SipTrunk } from '@clarion/db';
import { mediaCallIdOf } from '@clarion/protocol/media';
import { legEndOf } from '@clarion/testkit/peers/fake-media';
import type { FakeMedia } from '@clarion/testkit/peers/fake-media';
import { describe, expect, test as base } from 'vitest';
import { RealtimeFixture } from './fixture.ts';

/** Longer than a heartbeat and the 6 s until a node is dead. */
const SLOW_MS = 45_000;
const DAY_MS = 24 * 60 * 60_000;

interface Scene {
  fixture: RealtimeFixture;
  /** The trunk to which the calls of the fixture's trunk go. */
  target: SipTrunk;
}

/** The tests run concurrently, each with a database of its own. */
const test = base.extend<{ scene: Scene }>({
  scene: async ({ onTestFinished }, use) => {
    const fixture = await RealtimeFixture.create();
    onTestFinished(() => fixture.close());
    const { db, trunk } = fixture;
    await db.sipTrunk.update({
      where: { id: trunk.id },
      data: { techPrefixes: { inbound: [{ prefix: '88#', purpose: 'FORWARD' }] } },
    });
    const target = await db.sipTrunk.create({
      data: {
        ...{ name: 'other', status: 'ACTIVE', host: '192.0.2.9', ingressLabel: 'other' },
        ...{ inboundSourceCidrs: ['192.0.2.9'], techPrefixes: { outbound: '7' } },
      },
    });
    const rule = { trunkId: trunk.id, prefix: '88#', called: '', toTrunkId: target.id };
    await db.forwardingRule.create({ data: rule });
    await use({ fixture, target });
  },
});

const INVITE = { requestUser: '88%23442079460001', fromUser: '447700900123', maxForwards: 20 };

/** A call that has been dialled, and rings. */
async function forward({ fixture }: Scene, media: FakeMedia, change: object = {}) {
  const { callId, legId: inLegId } = await media.ring({ ...INVITE, ...change });
  const dial = await media.command('carrier:dial', callId);
  await media.command('call:route', callId);
  const rowOf = () => fixture.db.forwardedCall.findUniqueOrThrow({ where: { id: -callId } });
  const ended = (): Promise<ForwardedCall> =>
    fixture.until(async () => {
      const row = await rowOf();
      return row.state === 'ENDED' ? row : undefined;
    }, 'the end of the forwarded call');
  return { callId, inLegId, outLegId: dial.legId, dial, rowOf, ended };
}

async function talking(scene: Scene, media: FakeMedia) {
  const call = await forward(scene, media);
  media.connected(call.callId, call.outLegId);
  await media.command('carrier:answer', call.callId);
  return call;
}

describe.concurrent('a forwarded call', () => {
  test('is dialled on the other trunk, is answered when the called person answers, and ends once', async ({
    scene,
  }) => {
    const { fixture, target } = scene;
    const media = await fixture.media([await fixture.startNode()]);
    const { callId, inLegId, outLegId, dial, rowOf, ended } = await forward(scene, media);
    expect(callId).toBeLessThan(0);
    expect(dial.attempts).toMatchObject([
      { called: '7442079460001', caller: '447700900123', callerName: null, maxForwards: 19 },
    ]);
    expect(dial.attempts[0]?.trunk).toMatchObject({ trunkId: target.id, host: '192.0.2.9' });
    expect(await media.hears(callId, inLegId)).toEqual([{ kind: 'leg', legId: outLegId }]);
    expect(await media.hears(callId, outLegId)).toEqual([{ kind: 'leg', legId: inLegId }]);
    expect(await rowOf()).toMatchObject({
      state: 'RINGING',
      caller: '+447700900123',
      called: '442079460001',
    });
    media.connected(callId, outLegId);
    expect(await media.command('carrier:answer', callId)).toEqual({ callId, legId: inLegId });
    expect(await rowOf()).toMatchObject({ state: 'ANSWERED' });
    media.ended(callId, inLegId, legEndOf('remote-bye'));
    await media.released(callId);
    expect(await ended()).toMatchObject({ endedBy: 'CALLER', sipStatus: null, reason: 'remote-bye' });
    // Nothing of it belongs to a tenant.
    expect(await fixture.db.call.count()).toBe(0);
    expect(await fixture.db.event.count()).toBe(0);
  });

  test.for([
    ['busy', legEndOf('rejected', { sipStatus: 486 }), 486, 'CALLED'],
    ['an unknown number', legEndOf('rejected', { sipStatus: 404 }), 404, 'CALLED'],
    ['a server error', legEndOf('rejected', { sipStatus: 500 }), 503, 'CALLED'],
    ['wrong credentials', legEndOf('rejected', { sipStatus: 407 }), 480, 'CALLED'],
    ['no answer', legEndOf('no-answer-local', { sipStatus: 487 }), 480, 'SYSTEM'],
    ['no response', legEndOf('unreachable'), 503, 'SYSTEM'],
  ] as const)(
    'to %s is rejected with what the caller can use',
    async ([, end, status, endedBy], { scene }) => {
      const media = await scene.fixture.media([await scene.fixture.startNode()]);
      const { callId, outLegId, ended } = await forward(scene, media);
      media.ended(callId, outLegId, end);
      expect(await media.command('call:release', callId)).toMatchObject({ status });
      expect(await ended()).toMatchObject({ endedBy, sipStatus: status });
    },
  );

  test('counts on both trunks as long as it lasts, also beside other calls, and is rejected beyond their limits', async ({
    scene,
  }) => {
    const { fixture, target } = scene;
    const { db, trunk } = fixture;
    const media = await fixture.media([await fixture.startNode()]);
    const setLimits = async (own: number | null, other: number | null) => {
      await db.sipTrunk.update({ where: { id: trunk.id }, data: { maxCalls: own } });
      await db.sipTrunk.update({ where: { id: target.id }, data: { maxCalls: other } });
    };
    const counts = async () => {
      const rows = await db.trunkLiveCalls.findMany();
      return [trunk.id, target.id].map((id) => rows.find(({ trunkId }) => trunkId === id)?.calls ?? 0);
    };
    await setLimits(2, 1);
    const first = await forward(scene, media);
    expect(await counts()).toEqual([1, 1]);
    const { answer } = await media.invite(INVITE);
    expect(answer).toMatchObject({ action: 'reject', status: 503 });
    expect(await counts()).toEqual([1, 1]);
    await expect
      .poll(() => db.sipRefusal.findMany({ select: { trunkId: true, code: true } }))
      .toEqual([{ trunkId: trunk.id, code: 'trunk_call_limit' }]);
    await setLimits(1, 2);
    expect((await media.invite(INVITE)).answer).toMatchObject({ action: 'reject', status: 503 });
    media.ended(first.callId, first.inLegId, legEndOf('remote-cancel'));
    await first.ended();
    expect(await counts()).toEqual([0, 0]);
    const second = await talking(scene, media);
    // A trunk whose calls go on without a limit still gives back what was counted.
    await setLimits(null, null);
    media.ended(second.callId, second.outLegId, legEndOf('remote-bye'));
    await second.ended();
    expect(await counts()).toEqual([0, 0]);
  });

  test('carries digits both ways, each once', async ({ scene }) => {
    const media = await scene.fixture.media([await scene.fixture.startNode()]);
    const { callId, inLegId, outLegId } = await talking(scene, media);
    await media.pressed(callId, inLegId, '1');
    expect(await media.command('leg:dtmf', callId)).toMatchObject({ legId: outLegId, digits: '1' });
    await media.pressed(callId, outLegId, '2');
    expect(await media.command('leg:dtmf', callId, ({ digits }) => digits === '2')).toMatchObject({
      legId: inLegId,
      id: expect.stringContaining(outLegId),
    });
  });

  test('of a caller who withholds the number does not reveal it', async ({ scene }) => {
    const media = await scene.fixture.media([await scene.fixture.startNode()]);
    const { dial, rowOf } = await forward(scene, media, { withheld: true, fromUser: 'anonymous' });
    expect(dial.attempts).toMatchObject([
      { caller: 'anonymous', trunk: { identity: { hideCallerId: true, assertedIdentity: false } } },
    ]);
    expect((await rowOf()).caller).toBeNull();
  });

  test('that media could not accept or has given up ends, and is not dialled for long', async ({ scene }) => {
    const { fixture } = scene;
    const media = await fixture.media([await fixture.startNode()]);
    const { answer, question } = await media.invite(INVITE);
    if (answer.action !== 'accept') throw new Error(answer.reason);
    const end = legEndOf('remote-cancel');
    const at = new Date().toISOString();
    await media.fact('invite:withdrawn', { callId: null, legId: question.legId, at, request: question, end });
    await media.released(answer.callId);
    const row = await fixture.db.forwardedCall.findUniqueOrThrow({ where: { inviteId: question.inviteId } });
    expect(row).toMatchObject({ state: 'ENDED', endedBy: 'CALLER' });
    // Nor does an INVITE that was withdrawn before the decision become one.
    const second = await media.invite({ ...INVITE, inviteId: question.inviteId });
    expect(second.answer).toMatchObject({ action: 'reject', status: 503 });
  });

  test('is the same for a repeated INVITE, and dialled once', async ({ scene }) => {
    const media = await scene.fixture.media([await scene.fixture.startNode()]);
    const { answer, question } = await media.invite(INVITE);
    const again = await media.invite(question);
    expect(again.answer).toEqual(answer);
    if (answer.action !== 'accept') throw new Error(answer.reason);
    await media.command('call:route', answer.callId);
    expect(media.commands.filter(({ command }) => command === 'carrier:dial')).toHaveLength(1);
  });

  test('to a trunk that is not active, too many hops away, or of a suspended account is rejected', async ({
    scene,
  }) => {
    const { fixture, target } = scene;
    const media = await fixture.media([await fixture.startNode()]);
    await fixture.db.sipTrunk.update({ where: { id: target.id }, data: { status: 'DISABLED' } });
    expect((await media.invite(INVITE)).answer).toMatchObject({ action: 'reject', status: 404 });
    expect((await media.invite({ ...INVITE, maxForwards: 0 })).answer).toMatchObject({ status: 483 });
    await fixture.db.consumer.updateMany({ data: { status: 'SUSPENDED' } });
    expect((await media.invite(INVITE)).answer).toMatchObject({ action: 'reject', status: 403 });
    expect(await fixture.db.forwardedCall.count()).toBe(0);
  });

  test(
    'continues at another node if its own is killed',
    async ({ scene }) => {
      const { fixture } = scene;
      const dying = await fixture.startProcess();
      const media = await fixture.media([dying, await fixture.startNode()]);
      const { callId, inLegId, outLegId, ended } = await talking(scene, media);
      await dying.kill();
      expect(media.legsOf(callId)).toHaveLength(2);
      media.ended(callId, outLegId, legEndOf('remote-bye'));
      await media.released(callId);
      expect(await ended()).toMatchObject({ endedBy: 'CALLED' });
      expect(media.legs.has(inLegId)).toBe(false);
    },
    SLOW_MS,
  );

  test(
    'ends if its media node is lost',
    async ({ scene }) => {
      const media = await scene.fixture.media([await scene.fixture.startNode()]);
      const { ended } = await talking(scene, media);
      media.close();
      expect(await ended()).toMatchObject({ endedBy: 'SYSTEM', sipStatus: null });
    },
    SLOW_MS,
  );

  test('ends if the media node returns without it, and legs of ended ones are released', async ({
    scene,
  }) => {
    const media = await scene.fixture.media([await scene.fixture.startNode()]);
    const { callId, ended } = await talking(scene, media);
    media.legs.clear();
    const stray = mediaCallIdOf({ id: 999_999 });
    media.legs.set('stray', { callId: stray, legId: 'stray', kind: 'carrier-in', state: 'CONNECTED' });
    media.reconnect();
    expect(await ended()).toMatchObject({ endedBy: 'SYSTEM' });
    await media.released(stray);
    await media.released(callId);
  });

  test(
    'that nobody dials because its node died ends, and its caller gets 503',
    async ({ scene }) => {
      const { fixture } = scene;
      const media = await fixture.media([await fixture.startNode()]);
      const { callId, ended } = await forward(scene, media);
      await fixture.db.forwardedCall.update({
        where: { id: -callId },
        data: { startedAt: new Date(Date.now() - DAY_MS) },
      });
      expect(await ended()).toMatchObject({ endedBy: 'SYSTEM', sipStatus: 503 });
      await media.released(callId);
    },
    SLOW_MS,
  );

  test('is kept for 90 days', async ({ scene }) => {
    const { fixture } = scene;
    const media = await fixture.media([await fixture.startNode()]);
    const { callId, inLegId, ended } = await forward(scene, media);
    media.ended(callId, inLegId, legEndOf('remote-cancel'));
    const { startedAt } = await ended();
    const after = (days: number) => new Date(startedAt.getTime() + days * DAY_MS + 1);
    expect(await pruneForwardedCalls(fixture.db, after(89))).toBe(0);
    expect(await pruneForwardedCalls(fixture.db, after(90))).toBe(1);
  });
});
