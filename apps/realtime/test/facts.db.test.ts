/** Media facts that cannot be processed do not block later ones, and the end of a leg always ends its call. */
import { Writable } from 'node:stream';
import { legEndOf, legStatsOf } from '@clarion/testkit/peers/fake-media';
import type { FakeMedia } from '@clarion/testkit/peers/fake-media';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Realtime } from '../src/server.ts';
import type { AppSocket } from './app-socket.ts';
import { RealtimeFixture } from './fixture.ts';

let fixture: RealtimeFixture;
let node: Realtime & { url: string };
let media: FakeMedia;
let app: AppSocket;
let address: string;
let logged = '';

beforeAll(async () => {
  fixture = await RealtimeFixture.create();
  const stream = new Writable({
    write: (chunk: Buffer, _, done) => {
      logged += chunk.toString();
      done();
    },
  });
  node = await fixture.startNode({}, pino({ level: 'info' }, stream));
  media = await fixture.media([node]);
  const owner = await fixture.agent('ada');
  address = (await fixture.line({ ownerAgentId: owner.id })).address;
  app = await fixture.app(node, 'ada');
  // The database rejects rows that contain `poison`, to simulate a permanent error.
  await fixture.db.$executeRaw`
    create function refuse_poison() returns trigger language plpgsql as $$
      begin
        if to_jsonb(new)::text like '%poison%' then raise exception 'poison'; end if;
        return new;
      end $$`;
  for (const table of ['CallLeg', 'CallLifecycle', 'Call'])
    await fixture.db.$executeRawUnsafe(
      `create trigger refuse_poison before insert or update on "${table}" for each row execute function refuse_poison()`,
    );
});
afterAll(() => fixture.close());

const now = () => new Date().toISOString();
const putAside = async (fact: string): Promise<number> => {
  const text = await (await fetch(`http://127.0.0.1:${node.metricsPort}/metrics`)).text();
  return Number(new RegExp(`clarion_facts_put_aside_total{fact="${fact}"} (\\d+)`).exec(text)?.[1] ?? 0);
};

const failedFact = (leg: string) =>
  fixture.db.failedFact.findFirstOrThrow({ where: { legId: leg }, orderBy: { id: 'desc' } });

let callId: number;
let legId: string;
async function rings(name: string | null = null): Promise<void> {
  ({ callId, legId } = await media.ring({ requestUser: address, fromName: name }));
  await app.next('call:incoming', ({ call }) => call.callId === callId);
}
async function talks(): Promise<void> {
  await rings();
  await app.ask('call:accept', { callId, sdpOffer: 'offer' });
  await app.next('call:updated', ({ call }) => call.callId === callId && call.answeredAt !== null);
}

describe('text that PostgreSQL cannot store', () => {
  test('is removed from a name, and the call is accepted', async () => {
    await rings('A\0da \ud83d');
    const call = await fixture.db.call.findUniqueOrThrow({ where: { id: callId } });
    expect(call.customerName).toBe('Ada \ufffd');
    media.ended(callId, legId, legEndOf('remote-cancel'));
    await fixture.ended(callId);
  });

  test('is removed from the reason of an ending, and the call ends', async () => {
    await rings();
    media.ended(callId, legId, legEndOf('rejected', { sipStatus: 500, sipReason: 'Out\0 of \udc00 order' }));
    expect(await fixture.ended(callId)).toMatchObject({
      status: 'FAILED',
      failureDetails: { sipStatus: 500, sipReason: 'Out of \ufffd order' },
    });
  });
});

describe('a fact that can never be processed', () => {
  beforeEach(() => {
    media.statsOf = () => null;
  });

  test('is set aside, counted and acknowledged, and the next fact of its leg is processed', async () => {
    await talks();
    const before = await putAside('leg:connected');
    media.behaviour.onAgentConnect = () => undefined;
    await app.ask('call:resume', { callId, sdpOffer: 'offer' });
    media.behaviour.onAgentConnect = (fake, leg) => fake.connected(leg.callId, leg.legId);
    const fresh = media.legsOf(callId).find((leg) => leg.kind === 'agent' && leg.state === 'CONNECTING');
    if (!fresh) throw new Error('the agent has no new leg');
    await media.fact('leg:connected', { callId, legId: fresh.legId, at: now(), codec: 'poison' });
    expect(await putAside('leg:connected')).toBe(before + 1);
    expect(await media.command('leg:hangup', callId)).toMatchObject({ legId: fresh.legId });
    expect(await failedFact(fresh.legId)).toMatchObject({
      fact: 'leg:connected',
      callId,
      mediaNodeId: media.nodeId,
      realtimeNodeId: node.nodeId,
      error: expect.stringContaining('poison'),
      payload: { codec: 'poison' },
      outcome: 'LEG_ENDED',
    });
    media.ended(callId, legId, legEndOf('remote-bye'));
    expect(await fixture.ended(callId)).toMatchObject({ terminationReason: 'COMPLETED' });
  });

  test('about the end of a leg still ends the call, without the details that could not be stored', async () => {
    await talks();
    media.statsOf = () => legStatsOf({ codec: 'poison' });
    media.ended(callId, legId, legEndOf('remote-bye'));
    expect(await fixture.ended(callId)).toMatchObject({
      terminationReason: 'COMPLETED',
      terminatedBy: 'CUSTOMER',
    });
    expect(await putAside('leg:ended')).toBe(1);
  });

  test('about the connection of the customer ends the call as SYSTEM_ERROR', async () => {
    media.behaviour.onAnswer = (fake, leg) =>
      void fake.fact('leg:connected', { ...leg, at: now(), codec: 'poison' });
    await rings();
    await app.ask('call:accept', { callId, sdpOffer: 'offer' });
    expect(await fixture.ended(callId)).toMatchObject({
      status: 'FAILED',
      terminationReason: 'SYSTEM_ERROR',
      failureDetails: { message: expect.stringContaining('could not be processed') },
    });
    media.behaviour.onAnswer = (fake, leg) => fake.connected(leg.callId, leg.legId);
    await media.released(callId);
    await vi.waitFor(async () => expect(await failedFact(legId)).toMatchObject({ outcome: 'CALL_ENDED' }));
  });

  test('about the end of a leg does not keep the leg that ended with it from being stored', async () => {
    await talks();
    media.statsOf = (kind) => legStatsOf({ codec: kind === 'agent' ? 'poison' : 'PCMU' });
    await app.ask('call:hangup', { callId });
    const isPutAside = async () => expect(await fixture.db.failedFact.count({ where: { callId } })).toBe(1);
    await vi.waitFor(isPutAside, { timeout: 10_000 }); // after several attempts
    const legs = await fixture.db.callLeg.findMany({ where: { callId }, orderBy: { type: 'asc' } });
    expect(legs).toMatchObject([
      { type: 'AGENT', stats: { codec: 'PCMA' } },
      { type: 'CUSTOMER', stats: { codec: 'PCMU' } },
    ]);
  });

  test('about the end of a call that cannot be stored ends the call as SYSTEM_ERROR', async () => {
    await talks();
    // The row that a hang-up by the customer would write is rejected.
    await fixture.db.$executeRaw`
      create or replace function refuse_poison() returns trigger language plpgsql as $$
        begin
          if to_jsonb(new)->>'terminatedBy' = 'CUSTOMER' then raise exception 'poison'; end if;
          return new;
        end $$`;
    media.ended(callId, legId, legEndOf('remote-bye'));
    expect(await fixture.ended(callId)).toMatchObject({
      status: 'FAILED',
      terminationReason: 'SYSTEM_ERROR',
    });
    await fixture.db.$executeRaw`
      create or replace function refuse_poison() returns trigger language plpgsql as $$
        begin return new; end $$`;
  });

  test('because the state of the call cannot be read ends the call, frees its agent and releases its legs', async () => {
    await talks();
    await fixture.db.liveCall.update({ where: { callId }, data: { state: {} } });
    await media.fact('leg:dtmf', { callId, legId, at: now(), digit: '7' });
    expect(await fixture.ended(callId)).toMatchObject({
      status: 'FAILED',
      terminationReason: 'SYSTEM_ERROR',
    });
    await media.released(callId);
    expect(await fixture.db.agent.count({ where: { currentCallId: callId } })).toBe(0);
    expect(await fixture.db.event.count({ where: { callId, type: 'call.ended' } })).toBe(1);
    expect(await fixture.db.callParticipant.count({ where: { callId, leftAt: null } })).toBe(0);
    const stored = await failedFact(legId);
    expect(stored).toMatchObject({ fact: 'leg:dtmf', outcome: 'CALL_ENDED' });
    expect(stored.payload).not.toHaveProperty('digit');
  });

  test('because it is invalid also ends the call when it is about the end of its leg', async () => {
    await talks();
    const end = { cause: 'of a later version' } as never;
    await media.fact('leg:ended', { callId, legId, kind: 'carrier-in', at: now(), end, stats: null });
    expect(await fixture.ended(callId)).toMatchObject({
      status: 'FAILED',
      terminationReason: 'SYSTEM_ERROR',
    });
  });

  test.each([
    ['a kind of leg of a later version', () => ({ callId, kind: 'of a later version' })],
    ['an invalid call ID', () => ({ callId: `call ${callId}`, kind: 'carrier-in' })],
    ['a missing call ID', () => ({ kind: 'carrier-in' })],
  ])('because of %s ends the call as its leg ended', async (_, wrong) => {
    await talks();
    const fact = { legId, at: now(), end: legEndOf('remote-bye'), stats: null, ...wrong() };
    await media.fact('leg:ended', fact as never);
    expect(await fixture.ended(callId)).toMatchObject({
      status: 'TERMINATED',
      terminationReason: 'COMPLETED',
      terminatedBy: 'CUSTOMER',
    });
  });

  test('about a leg of no call is acknowledged', async () => {
    const fact = { legId: 'nobody', at: now(), end: legEndOf('remote-bye'), stats: null };
    await media.fact('leg:ended', fact as never);
    expect(await fixture.db.failedFact.count({ where: { legId: 'nobody' } })).toBe(1);
    expect(await failedFact('nobody')).toMatchObject({
      callId: null,
      payload: null,
      outcome: 'NOTHING_TO_END',
    });
  });

  test('is logged by its kind and what is invalid, without its content', async () => {
    await talks();
    const invalid = {
      callId,
      legId,
      digits: '447700900123',
      from: 'Grace <sip:+447700900123@carrier.example>',
    };
    await media.fact('leg:ringing', { ...invalid, at: 447700900123 } as never);
    await media.fact('+447700900123' as never, invalid as never);
    expect(await failedFact(legId)).toMatchObject({ payload: null, outcome: 'IGNORED' });
    expect(await fixture.db.liveCall.count({ where: { callId } })).toBe(1);
    expect(logged).toContain('invalid fact');
    expect(logged).toContain('leg:ringing');
    expect(logged).not.toContain('447700900123');
    expect(logged).not.toContain('Grace');
  });
});
