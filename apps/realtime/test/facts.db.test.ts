/** Media facts that cannot be processed do not block later ones, and the end of a leg always ends its call. */
import { Writable } from 'node:stream';
import { legEndOf, legStatsOf } from '@clarion/testkit/peers/fake-media';
import type { FakeMedia } from '@clarion/testkit/peers/fake-media';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Realtime } from '../src/server.ts';
import type { AppSocket } from './app-socket.ts';
import { World } from './world.ts';

let world: World;
let node: Realtime & { url: string };
let media: FakeMedia;
let app: AppSocket;
let address: string;
let logged = '';

beforeAll(async () => {
  world = await World.create();
  const stream = new Writable({
    write: (chunk: Buffer, _, done) => {
      logged += chunk.toString();
      done();
    },
  });
  node = await world.startNode({}, pino({ level: 'info' }, stream));
  media = await world.media([node]);
  const owner = await world.agent('ada');
  address = (await world.line({ ownerAgentId: owner.id })).address;
  app = await world.app(node, 'ada');
  // The database refuses rows that contain `poison`, as it would with a permanent error.
  await world.db.$executeRaw`
    create function refuse_poison() returns trigger language plpgsql as $$
      begin
        if to_jsonb(new)::text like '%poison%' then raise exception 'poison'; end if;
        return new;
      end $$`;
  for (const table of ['CallLeg', 'CallLifecycle', 'Call'])
    await world.db.$executeRawUnsafe(
      `create trigger refuse_poison before insert or update on "${table}" for each row execute function refuse_poison()`,
    );
});
afterAll(() => world.close());

const now = () => new Date().toISOString();
const putAside = async (fact: string): Promise<number> => {
  const text = await (await fetch(`http://127.0.0.1:${node.metricsPort}/metrics`)).text();
  return Number(new RegExp(`clarion_facts_put_aside_total{fact="${fact}"} (\\d+)`).exec(text)?.[1] ?? 0);
};

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
    const call = await world.db.call.findUniqueOrThrow({ where: { id: callId } });
    expect(call.customerName).toBe('Ada \ufffd');
    media.ended(callId, legId, legEndOf('remote-cancel'));
    await world.ended(callId);
  });

  test('is removed from the reason of an ending, and the call ends', async () => {
    await rings();
    media.ended(callId, legId, legEndOf('rejected', { sipStatus: 500, sipReason: 'Out\0 of \udc00 order' }));
    expect(await world.ended(callId)).toMatchObject({
      status: 'FAILED',
      failureDetails: { sipStatus: 500, sipReason: 'Out of \ufffd order' },
    });
  });
});

describe('a fact that can never be processed', () => {
  beforeEach(() => {
    media.statsOf = () => null;
  });

  test('is set aside, counted and acked, and the next fact of its leg is processed', async () => {
    await talks();
    const before = await putAside('leg:connected');
    media.behaviour.onAgentConnect = () => undefined;
    await app.ask('call:resume', { callId, sdpOffer: 'offer' });
    media.behaviour.onAgentConnect = (fake, leg) => fake.connected(leg.callId, leg.legId);
    const fresh = media.legsOf(callId).find((leg) => leg.kind === 'agent' && leg.state === 'CONNECTING');
    if (!fresh) throw new Error('the agent has no new leg');
    await media.fact('leg:connected', { callId, legId: fresh.legId, at: now(), codec: 'poison' });
    expect(await putAside('leg:connected')).toBe(before + 1);
    media.ended(callId, legId, legEndOf('remote-bye'));
    expect(await world.ended(callId)).toMatchObject({ terminationReason: 'COMPLETED' });
  });

  test('about the end of a leg still ends the call, without the details that could not be stored', async () => {
    await talks();
    media.statsOf = () => legStatsOf({ codec: 'poison' });
    media.ended(callId, legId, legEndOf('remote-bye'));
    expect(await world.ended(callId)).toMatchObject({
      terminationReason: 'COMPLETED',
      terminatedBy: 'CUSTOMER',
    });
    expect(await putAside('leg:ended')).toBe(1);
  });

  test('because the call cannot end as it should ends it SYSTEM_ERROR', async () => {
    await talks();
    // The row that a hang-up by the customer would write is refused.
    await world.db.$executeRaw`
      create or replace function refuse_poison() returns trigger language plpgsql as $$
        begin
          if to_jsonb(new)->>'terminatedBy' = 'CUSTOMER' then raise exception 'poison'; end if;
          return new;
        end $$`;
    media.ended(callId, legId, legEndOf('remote-bye'));
    expect(await world.ended(callId)).toMatchObject({ status: 'FAILED', terminationReason: 'SYSTEM_ERROR' });
    await world.db.$executeRaw`
      create or replace function refuse_poison() returns trigger language plpgsql as $$
        begin return new; end $$`;
  });

  test('because it is invalid also ends the call when it is about the end of its leg', async () => {
    await talks();
    const end = { cause: 'of a later version' } as never;
    await media.fact('leg:ended', { callId, legId, kind: 'carrier-in', at: now(), end, stats: null });
    expect(await world.ended(callId)).toMatchObject({ status: 'FAILED', terminationReason: 'SYSTEM_ERROR' });
  });

  test.each([
    ['a kind of leg of a later version', () => ({ callId, kind: 'of a later version' })],
    ['a call id that cannot be read', () => ({ callId: `call ${callId}`, kind: 'carrier-in' })],
    ['no call id', () => ({ kind: 'carrier-in' })],
  ])('because of %s ends the call as its leg ended', async (_, wrong) => {
    await talks();
    const fact = { legId, at: now(), end: legEndOf('remote-bye'), stats: null, ...wrong() };
    await media.fact('leg:ended', fact as never);
    expect(await world.ended(callId)).toMatchObject({
      status: 'TERMINATED',
      terminationReason: 'COMPLETED',
      terminatedBy: 'CUSTOMER',
    });
  });

  test('about a leg that no call has is acked', async () => {
    const fact = { legId: 'nobody', at: now(), end: legEndOf('remote-bye'), stats: null };
    const before = await putAside('leg:ended');
    await media.fact('leg:ended', fact as never);
    expect(await putAside('leg:ended')).toBe(before + 1);
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
    expect(logged).toContain('invalid fact');
    expect(logged).toContain('leg:ringing');
    expect(logged).not.toContain('447700900123');
    expect(logged).not.toContain('Grace');
  });
});
