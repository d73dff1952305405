/** Which call at Meta is which call of ours, while webhooks arrive in any order and processes compete for them. */
import type { Database, Tx } from '@clarion/db';
import { createTestDatabase } from '@clarion/db/testing';
import type { TestDatabase } from '@clarion/db/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { acceptWhatsAppWebhook } from './accept-webhook.ts';
import { recordRefusedCall } from './call-permission.ts';
import { opaqueOf } from './opaque.ts';
import { dueCalls, mayBePlacing } from './due-calls.ts';
import {
  bindConnected,
  bindInbound,
  claimAccept,
  claimConnect,
  claimEnd,
  markAccepted,
  metaCallOf,
  settleCall,
  takeCallEvents,
} from './whatsapp-call.ts';

const NOW = new Date('2026-03-01T12:00:00.000Z');
const SECOND_MS = 1_000;
const CUSTOMER = '+12185552828';
let testDatabase: TestDatabase;
let db: Database;
let channelId: number;
let tenant: { id: number; consumerId: number };

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  db = testDatabase.connect();
  const { id: consumerId } = await db.consumer.create({ data: { slug: 'acme', name: 'Acme' } });
  tenant = await db.tenant.create({ data: { consumerId, ref: 't', name: 'T' } });
  const line = await db.channel.create({
    data: {
      tenantId: tenant.id,
      ref: 'wa',
      type: 'WHATSAPP',
      address: '+447700900001',
      providerAccountId: '1001',
    },
  });
  channelId = line.id;
});
afterAll(() => testDatabase.drop());
beforeEach(async () => {
  await db.whatsAppEvent.deleteMany();
  await db.whatsAppCall.deleteMany();
  await db.whatsAppPermission.deleteMany();
  await db.call.deleteMany();
});

const after = (seconds: number) => new Date(NOW.getTime() + seconds * SECOND_MS);
const newCall = async () => {
  const { id } = await db.call.create({
    data: {
      consumerId: tenant.consumerId,
      tenantId: tenant.id,
      direction: 'OUTBOUND',
      channelId,
      channelRef: 'wa',
      channelType: 'WHATSAPP',
      customerAddress: CUSTOMER,
      customerAddressType: 'WHATSAPP_USER',
    },
  });
  return id;
};
const webhook = (value: object) => ({
  entry: [{ changes: [{ field: 'calls', value: { metadata: { phone_number_id: '1001' }, ...value } }] }],
});
const arrive = (value: object) => acceptWhatsAppWebhook({ db, now: NOW }, webhook(value), null);
const offer = (id: string) =>
  arrive({
    calls: [
      {
        id,
        event: 'connect',
        from: '12185552828',
        direction: 'USER_INITIATED',
        session: { sdp_type: 'offer', sdp: 'v=0' },
      },
    ],
  });
const terminate = (id: string, direction: string, more: object = {}) =>
  arrive({ calls: [{ id, event: 'terminate', direction, status: 'FAILED', ...more }] });
const status = (id: string, text: string, opaque?: string) =>
  arrive({ statuses: [{ id, type: 'call', status: text, biz_opaque_callback_data: opaque }] });
const take = (id: string, at = NOW) =>
  db.$transaction((tx: Tx) => takeCallEvents(tx, { channelId, whatsAppCallId: id }, at));
const kinds = ({ facts }: { facts: readonly { kind: string }[] }) => facts.map(({ kind }) => kind);

describe('a call of a customer', () => {
  test('begins once, however many processes take its events', async () => {
    await offer('wacid.A');
    const taken = await Promise.all(Array.from({ length: 6 }, () => take('wacid.A')));
    expect(taken.flatMap(kinds)).toEqual(['began']);
    expect(taken.find(({ began }) => began !== null)).toMatchObject({
      callId: null,
      began: { customerAddress: '+12185552828', receivedAt: NOW },
    });
  });

  test('is bound to the call that it became, and its end is a fact of that call', async () => {
    await offer('wacid.B');
    await take('wacid.B');
    const callId = await newCall();
    await bindInbound(db, { channelId, whatsAppCallId: 'wacid.B' }, callId);
    await terminate('wacid.B', 'USER_INITIATED');
    expect(await take('wacid.B')).toMatchObject({ callId, facts: [{ kind: 'ended' }] });
    expect(await take('wacid.B')).toMatchObject({ callId, facts: [] });
  });

  test.each([
    ['wacid.E', 0, NOW],
    ['wacid.F', -2, after(-1)],
    ['wacid.G', -20, after(-19)],
  ])(
    '%s ended when the webhook arrived, but not after the second that Meta names (%i s)',
    async (id, s, endedAt) => {
      await offer(id);
      await take(id);
      const timestamp = String(Math.floor(after(s).getTime() / 1000));
      await terminate(id, 'USER_INITIATED', { timestamp });
      expect(await take(id, after(60))).toMatchObject({ endedAt });
    },
  );

  test('that ended before its beginning arrived begins and ends', async () => {
    await terminate('wacid.C', 'USER_INITIATED');
    expect(kinds(await take('wacid.C'))).toEqual([]);
    await offer('wacid.C');
    expect(kinds(await take('wacid.C'))).toEqual(['began', 'ended']);
  });

  test('an event is not taken if the transaction that uses it fails', async () => {
    await offer('wacid.D');
    const failing = db.$transaction(async (tx: Tx) => {
      await takeCallEvents(tx, { channelId, whatsAppCallId: 'wacid.D' }, NOW);
      throw new Error('the step conflicted');
    });
    await expect(failing).rejects.toThrow('conflicted');
    expect((await dueCalls(db, NOW)).untaken).toEqual([{ channelId, whatsAppCallId: 'wacid.D' }]);
    expect(kinds(await take('wacid.D'))).toEqual(['began']);
    expect((await dueCalls(db, NOW)).untaken).toEqual([]);
  });
});

/** The rows of live calls that are searched for requests without a result. */
const makeLive = (callId: number) =>
  db.liveCall.create({
    data: { callId, consumerId: tenant.consumerId, tenantId: tenant.id, state: {}, version: 0 },
  });

describe('what a process that died has left behind', () => {
  test('a connect request without a result, only while our call is live', async () => {
    const [live, ended] = [await newCall(), await newCall()];
    await makeLive(live);
    for (const callId of [live, ended]) {
      await claimConnect(db, channelId, callId);
      await db.whatsAppCall.update({ where: { callId }, data: { createdAt: NOW } });
    }
    expect((await dueCalls(db, after(10))).interrupted).toEqual([]);
    expect((await dueCalls(db, after(21))).interrupted).toEqual([{ callId: live, request: 'connect' }]);
    await bindConnected(db, live, 'wacid.P');
    expect((await dueCalls(db, after(21))).interrupted).toEqual([]);
  });

  test('an end that is still undecided', async () => {
    await terminate('wacid.Q', 'BUSINESS_INITIATED');
    const { settleAt } = await take('wacid.Q');
    expect(settleAt).toEqual(after(2));
    expect((await dueCalls(db, after(1))).unsettled).toEqual([]);
    const call = { channelId, whatsAppCallId: 'wacid.Q' };
    expect((await dueCalls(db, after(2))).unsettled).toEqual([call]);
    await settleCall(db, call, after(2));
    expect((await dueCalls(db, after(2))).unsettled).toEqual([]);
  });

  test('webhooks without our data may be about a call that is being placed', async () => {
    expect(await mayBePlacing(db, channelId, NOW, NOW)).toBe(false);
    const callId = await newCall();
    await claimConnect(db, channelId, callId);
    await db.whatsAppCall.update({ where: { callId }, data: { createdAt: NOW } });
    expect(await mayBePlacing(db, channelId, NOW, NOW)).toBe(true);
    expect(await mayBePlacing(db, channelId, NOW, after(21))).toBe(false);
    await bindConnected(db, callId, 'wacid.R');
    expect(await mayBePlacing(db, channelId, NOW, NOW)).toBe(false);
  });
});

describe('a call of ours', () => {
  test('is claimed once, so that it is placed once', async () => {
    const callId = await newCall();
    const claims = await Promise.all(Array.from({ length: 5 }, () => claimConnect(db, channelId, callId)));
    expect(claims.filter(Boolean)).toHaveLength(1);
  });

  test('is found by its ID after the response, and by its opaque data before', async () => {
    const [early, late] = [await newCall(), await newCall()];
    await claimConnect(db, channelId, early);
    await claimConnect(db, channelId, late);
    await status('wacid.E', 'RINGING', opaqueOf(early));
    expect(await take('wacid.E')).toMatchObject({ callId: early, facts: [{ kind: 'ringing' }] });
    expect(await bindConnected(db, early, 'wacid.E')).toBe(true);
    expect(await bindConnected(db, late, 'wacid.F')).toBe(true);
    await status('wacid.F', 'ACCEPTED');
    expect(await take('wacid.F')).toMatchObject({ callId: late, facts: [{ kind: 'answered' }] });
    expect(await db.whatsAppCall.count()).toBe(2);
  });

  test('of another system on the same number is no call of ours', async () => {
    await status('wacid.G', 'RINGING', 'their-own-call');
    expect(await take('wacid.G')).toMatchObject({ callId: null });
  });

  test('an end without a reason is reported after the time in which a refusal would arrive', async () => {
    const callId = await newCall();
    await claimConnect(db, channelId, callId);
    await bindConnected(db, callId, 'wacid.H');
    await terminate('wacid.H', 'BUSINESS_INITIATED');
    expect(kinds(await take('wacid.H'))).toEqual([]);
    const { settleAt } = await db.whatsAppCall.findUniqueOrThrow({ where: { callId } });
    expect(settleAt?.getTime()).toBe(NOW.getTime() + 2 * SECOND_MS);
    const settle = (at: Date) =>
      db.$transaction((tx: Tx) => settleCall(tx, { channelId, whatsAppCallId: 'wacid.H' }, at));
    expect((await settle(new Date(NOW.getTime() + SECOND_MS))).facts).toEqual([]);
    const due = new Date(NOW.getTime() + 2 * SECOND_MS);
    const settled = await Promise.all([settle(due), settle(due)]);
    expect(settled.flatMap(({ facts }) => facts)).toEqual([{ kind: 'ended', end: { kind: 'unanswered' } }]);
  });

  test('deleting the call deletes what Meta reported about it', async () => {
    const callId = await newCall();
    await claimConnect(db, channelId, callId);
    await db.call.delete({ where: { id: callId } });
    expect(await bindConnected(db, callId, 'wacid.I')).toBe(false);
  });
});

describe('accepting a call of a customer', () => {
  const offered = async (id: string) => {
    await offer(id);
    await take(id);
    const callId = await newCall();
    await bindInbound(db, { channelId, whatsAppCallId: id }, callId);
    return callId;
  };

  test('is requested once, by one of the nodes', async () => {
    const callId = await offered('wacid.J');
    const whatsAppCall = { channelId, whatsAppCallId: 'wacid.J', direction: 'USER_INITIATED', isOver: false };
    expect(await metaCallOf(db, callId)).toEqual({ ...whatsAppCall, accept: 'none' });
    const claims = await Promise.all(Array.from({ length: 5 }, () => claimAccept(db, callId, NOW)));
    expect(claims.filter(Boolean)).toHaveLength(1);
    expect(await metaCallOf(db, callId)).toEqual({ ...whatsAppCall, accept: 'pending' });
    await markAccepted(db, callId, NOW);
    expect(await metaCallOf(db, callId)).toEqual({ ...whatsAppCall, accept: 'accepted' });
    expect(await claimAccept(db, callId, NOW)).toBe(false);
  });

  test('is not requested once we end the call, and a call that is being accepted is known when we end it', async () => {
    const [rejected, terminated] = [await offered('wacid.K'), await offered('wacid.L')];
    expect(await claimEnd(db, rejected, NOW)).toMatchObject({ whatsAppCallId: 'wacid.K', accept: 'none' });
    expect(await claimAccept(db, rejected, NOW)).toBe(false);
    // The first request is still ending it. After a crash it is repeated.
    expect(await claimEnd(db, rejected, NOW)).toBeNull();
    expect(await claimEnd(db, rejected, after(30))).toMatchObject({ accept: 'none' });
    expect(await claimAccept(db, terminated, NOW)).toBe(true);
    expect(await claimEnd(db, terminated, NOW)).toMatchObject({ accept: 'pending' });
  });

  test('and ending compete: the call is accepted or rejected, not both', async () => {
    for (let round = 0; round < 10; round += 1) {
      const callId = await offered(`wacid.M${round}`);
      const [accepts, end] = await Promise.all([claimAccept(db, callId, NOW), claimEnd(db, callId, NOW)]);
      expect(end?.accept).toBe(accepts ? 'pending' : 'none');
    }
  });

  test('a call that is over at Meta is not ended there', async () => {
    const callId = await offered('wacid.N');
    await terminate('wacid.N', 'USER_INITIATED');
    await take('wacid.N');
    expect(await metaCallOf(db, callId)).toMatchObject({ isOver: true });
    expect(await claimEnd(db, callId, NOW)).toBeNull();
  });

  test('whose process died is found once no response can come any more', async () => {
    const callId = await offered('wacid.O');
    await makeLive(callId);
    await claimAccept(db, callId, NOW);
    expect((await dueCalls(db, after(10))).interrupted).toEqual([]);
    expect((await dueCalls(db, after(21))).interrupted).toEqual([{ callId, request: 'accept' }]);
    await markAccepted(db, callId, after(21));
    expect((await dueCalls(db, after(21))).interrupted).toEqual([]);
  });

  test('a call that is none on WhatsApp has nothing to accept or to end', async () => {
    const callId = await newCall();
    expect(await metaCallOf(db, callId)).toBeNull();
    expect(await claimAccept(db, callId, NOW)).toBe(false);
    expect(await claimEnd(db, callId, NOW)).toBeNull();
  });
});

describe('the permission ledger', () => {
  const placed = async (id: string) => {
    const callId = await newCall();
    await claimConnect(db, channelId, callId);
    await bindConnected(db, callId, id);
    return callId;
  };
  const ledger = () =>
    db.whatsAppPermission.findMany({
      select: { customerAddress: true, status: true, unansweredCalls: true },
    });
  const granted = (unansweredCalls: number) =>
    db.whatsAppPermission.create({
      data: {
        channelId,
        customerAddress: CUSTOMER,
        status: 'PERMANENT',
        unansweredCalls,
        changedAt: NOW,
        updatedAt: NOW,
      },
    });
  const rejectCall = async (id: string) => {
    await status(id, 'RINGING');
    await status(id, 'REJECTED');
    await terminate(id, 'BUSINESS_INITIATED');
    return take(id);
  };

  test('counts a call that rang and was not answered, once', async () => {
    await placed('wacid.P');
    await rejectCall('wacid.P');
    await status('wacid.P', 'REJECTED');
    await take('wacid.P');
    expect(await ledger()).toEqual([{ customerAddress: CUSTOMER, status: 'UNKNOWN', unansweredCalls: 1 }]);
  });

  test('revokes the permission after four of them in a row', async () => {
    await granted(2);
    await placed('wacid.Q');
    await rejectCall('wacid.Q');
    expect(await ledger()).toMatchObject([{ status: 'PERMANENT', unansweredCalls: 3 }]);
    await placed('wacid.R');
    await rejectCall('wacid.R');
    expect(await ledger()).toMatchObject([{ status: 'REVOKED', unansweredCalls: 4 }]);
  });

  test('does not count a call that ended before the phone rang, or that WhatsApp could not connect', async () => {
    await placed('wacid.S');
    await terminate('wacid.S', 'BUSINESS_INITIATED');
    await take('wacid.S');
    const due = new Date(NOW.getTime() + 2 * SECOND_MS);
    await db.$transaction((tx: Tx) => settleCall(tx, { channelId, whatsAppCallId: 'wacid.S' }, due));
    await placed('wacid.T');
    await status('wacid.T', 'RINGING');
    await arrive({
      calls: [{ id: 'wacid.T', event: 'terminate', direction: 'BUSINESS_INITIATED', status: 'FAILED' }],
      errors: [{ code: 138021, message: 'no audio' }],
    });
    expect(kinds(await take('wacid.T'))).toEqual(['ringing', 'ended']);
    expect(await ledger()).toEqual([]);
  });

  test('an answered call, of either side, begins the count again', async () => {
    await granted(3);
    await placed('wacid.U');
    await status('wacid.U', 'ACCEPTED');
    await take('wacid.U');
    expect(await ledger()).toMatchObject([{ status: 'PERMANENT', unansweredCalls: 0 }]);
    await db.whatsAppPermission.updateMany({ data: { unansweredCalls: 3 } });
    await offer('wacid.V');
    await take('wacid.V');
    await bindInbound(db, { channelId, whatsAppCallId: 'wacid.V' }, await newCall());
    await terminate('wacid.V', 'USER_INITIATED', {
      start_time: '1772366400',
      end_time: '1772366410',
      duration: 10,
    });
    await take('wacid.V');
    expect(await ledger()).toMatchObject([{ status: 'PERMANENT', unansweredCalls: 0 }]);
  });

  test('a call of a customer whom it does not know adds nobody', async () => {
    await offer('wacid.W');
    await take('wacid.W');
    await bindInbound(db, { channelId, whatsAppCallId: 'wacid.W' }, await newCall());
    await terminate('wacid.W', 'USER_INITIATED');
    await take('wacid.W');
    expect(await ledger()).toEqual([]);
  });

  test('learns from a refused call that there is no permission', async () => {
    await granted(0);
    const callId = await newCall();
    const error = { code: 138012, subcode: null, message: '', details: null };
    await recordRefusedCall(db, callId, error, NOW);
    expect(await ledger()).toMatchObject([{ status: 'PERMANENT' }]);
    await recordRefusedCall(db, callId, { ...error, code: 138006 }, NOW);
    expect(await ledger()).toMatchObject([{ status: 'REVOKED' }]);
  });
});
