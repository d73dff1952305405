/** Every branch of the failover rule, over a real wire: carriers whose messages the test writes. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { DialAttempt, LegEnd, TrunkTarget } from '@clarion/protocol/media';
import { MediaFixture, testTrunk } from './support/media-fixture.ts';
import { eventually } from './support/fake-realtime.ts';
import { headerOf, RawCarrier, sdp } from './support/raw-carrier.ts';

/** Read by tests/failure-catalogue.test.ts: every entry of the catalogue is produced by a test. */
export const producedFailures = ['trunk_rate_limit'];

let fixture: MediaFixture;
let carriers: RawCarrier[] = [];
let callId = 0;

beforeAll(async () => {
  fixture = await MediaFixture.start();
});
afterEach(async () => {
  await fixture.realtime.command('call:release', { callId });
  await eventually('no leg is left', () => fixture.media.calls.legCount === 0);
  for (const carrier of carriers.splice(0)) carrier.close();
});
afterAll(() => fixture.close());

const legId = () => `out-${callId}`;

async function open(address?: string): Promise<RawCarrier> {
  const carrier = await RawCarrier.open(fixture.gateway.sipPort, address);
  carriers.push(carrier);
  return carrier;
}

const attempt = (trunk: TrunkTarget): DialAttempt => ({
  trunk,
  called: '4930555',
  caller: '4917111',
  callerName: null,
});

/** Further destinations of a trunk, tried in this order after its own address. */
const after = (...others: RawCarrier[]): TrunkTarget['destinations'] =>
  others.map(({ address, port }, index) => ({ host: address, port, priority: index + 1, weight: 1 }));

async function dial(attempts: TrunkTarget[], ringTimeoutMs = 20_000): Promise<void> {
  callId = fixture.callId();
  await fixture.realtime.command('carrier:dial', {
    callId,
    legId: legId(),
    attempts: attempts.map(attempt),
    ringTimeoutMs,
  });
}

const ended = async (): Promise<LegEnd> => (await fixture.realtime.fact('leg:ended', legId())).end;

/** Answers the INVITE, so that the call is connected. */
async function answer(carrier: RawCarrier): Promise<void> {
  carrier.answer(await carrier.receive('INVITE '), 200, { body: sdp(40_000) });
  await carrier.receive('ACK ');
}

const Q850 = (cause: number) => [`Reason: Q.850;cause=${cause}`];

describe('after the response of the first destination', () => {
  test.each<[number, string[]]>([
    [408, []],
    [500, []],
    [502, []],
    [503, []],
    [503, Q850(34)],
    [580, []],
  ])('%i %j the next destination is called, on the same RTP port', async (status, headers) => {
    const [first, second] = [await open(), await open()];
    await dial([testTrunk(first.port, { destinations: after(second) })]);
    const invite = await first.receive('INVITE ');
    first.answer(invite, status, { headers });
    const again = await second.receive('INVITE ');
    expect(/^m=audio \d+/m.exec(again)?.[0]).toBe(/^m=audio \d+/m.exec(invite)?.[0]);
    expect(headerOf(again, 'Call-ID')).not.toBe(headerOf(invite, 'Call-ID'));
    second.answer(again, 200, { body: sdp(40_000) });
    expect(await fixture.realtime.fact('leg:connected', legId())).toMatchObject({ trunkId: 1 });
  });

  test.each<[number, string[]]>([
    [486, []],
    [600, []],
    [603, []],
    [604, []],
    [606, []],
    [607, []],
    [608, []],
    [484, []],
    [480, []],
    [488, []],
    [404, Q850(1)],
    [403, Q850(21)],
    [503, Q850(17)],
  ])('%i %j neither the next destination nor the next trunk is called', async (status, headers) => {
    const [first, second, third] = [await open(), await open(), await open()];
    await dial([
      testTrunk(first.port, { destinations: after(second) }),
      testTrunk(third.port, { trunkId: 2 }),
    ]);
    first.answer(await first.receive('INVITE '), status, { headers });
    expect(await ended()).toMatchObject({ cause: 'rejected', sipStatus: status });
    expect([...second.rest, ...third.rest]).toEqual([]);
  });

  test.each<[number, string[]]>([
    [403, []],
    [404, []],
    [404, Q850(3)],
    [402, []],
    [302, []],
  ])('%i %j the next trunk is called, not the next destination', async (status, headers) => {
    const [first, second, third] = [await open(), await open(), await open()];
    await dial([
      testTrunk(first.port, { destinations: after(second) }),
      testTrunk(third.port, { trunkId: 2 }),
    ]);
    first.answer(await first.receive('INVITE '), status, { headers, contact: '*' });
    await answer(third);
    expect(await fixture.realtime.fact('leg:connected', legId())).toMatchObject({ trunkId: 2 });
    expect(second.rest).toEqual([]);
  });

  test('the last response is reported if every trunk rejects the call', async () => {
    const [first, second] = [await open(), await open()];
    await dial([testTrunk(first.port), testTrunk(second.port, { trunkId: 2 })]);
    first.answer(await first.receive('INVITE '), 503);
    second.answer(await second.receive('INVITE '), 502);
    expect(await ended()).toMatchObject({ cause: 'rejected', sipStatus: 502 });
  });
});

describe('a person who has been rung', () => {
  test.each([
    [180, 503],
    [183, 500],
    [180, 408],
    [180, 486],
    [180, 603],
    [182, 404],
    [180, 302],
  ])('(%i, then %i) is not called again', async (ringing, status) => {
    const [first, second, third] = [await open(), await open(), await open()];
    await dial([
      testTrunk(first.port, { destinations: after(second) }),
      testTrunk(third.port, { trunkId: 2 }),
    ]);
    const invite = await first.receive('INVITE ');
    first.answer(invite, ringing);
    expect(await fixture.realtime.fact('leg:ringing', legId())).toMatchObject({ trunkId: 1 });
    const contact = `<sip:1@127.0.0.1:${second.port}>`;
    first.answer(invite, status, status === 302 ? { contact } : {});
    expect(await ended()).toMatchObject({ sipStatus: status, provisional: true });
    expect([...second.rest, ...third.rest]).toEqual([]);
  });

  test('and whom we cancel at the end of the ring time is not called again, even if the carrier responds with 503', async () => {
    const [first, second] = [await open(), await open()];
    await dial([testTrunk(first.port, { destinations: after(second) })], 300);
    const invite = await first.receive('INVITE ');
    first.answer(invite, 180);
    await first.receive('CANCEL ');
    first.answer(invite, 503);
    expect(await ended()).toMatchObject({ cause: 'no-answer-local' });
    expect(second.rest).toEqual([]);
  });
});

describe('without a response', () => {
  test.each(['UDP', 'TCP'] as const)(
    'from a closed port (%s) the next trunk is called',
    async (transport) => {
      const [closed, second] = [await open(), await open()];
      const { port } = closed;
      carriers = carriers.filter((carrier) => carrier !== closed);
      closed.close();
      await dial([testTrunk(port, { transport }), testTrunk(second.port, { trunkId: 2 })]);
      await answer(second);
      await fixture.realtime.fact('leg:connected', legId());
    },
  );

  test('a destination that is silent for 4 s is given up, and ended if it answers later', async () => {
    const [silent, second] = [await open(), await open()];
    await dial([testTrunk(silent.port, { destinations: after(second) })]);
    const invite = await silent.receive('INVITE ');
    await answer(second);
    await fixture.realtime.fact('leg:connected', legId());
    silent.answer(invite, 200, { body: sdp(40_002), tag: 'late' });
    await silent.receive('ACK ');
    await silent.receive('BYE ');
    expect(fixture.realtime.count('leg:ended', legId())).toBe(0);
  });

  test('a 100 shows that a slow destination is there, so it keeps the call', async () => {
    const [slow, second] = [await open(), await open()];
    await dial([testTrunk(slow.port, { destinations: after(second) })], 5_500);
    slow.answer(await slow.receive('INVITE '), 100);
    expect(await ended()).toMatchObject({ cause: 'no-answer-local', provisional: false });
    expect(second.rest).toEqual([]);
  }, 15_000);

  test('a name without an address leads to the next destination', async () => {
    const second = await open();
    await dial([testTrunk(5060, { host: 'gone.invalid', destinations: after(second) })]);
    await answer(second);
    await fixture.realtime.fact('leg:connected', legId());
  });

  test.each<[string, Partial<TrunkTarget>, string]>([
    ['a name without an address', { host: 'gone.invalid' }, 'host_not_found'],
    ['a closed port', { port: 9, transport: 'TCP' }, 'carrier_unreachable'],
    ['a transport that the SIP server does not have', { transport: 'TLS' }, 'carrier_unreachable'],
  ])('the end of the call names the reason: %s', async (_, change, reason) => {
    await dial([testTrunk(5060, change)]);
    expect(await ended()).toMatchObject({ cause: 'unreachable', reason });
  });
});

describe('a 200 that creates no dialog', () => {
  test.each<[string, string | null]>([
    ['without a Contact', null],
    ['with an empty Contact', ''],
  ])('%s is ended, and nothing else is called', async (_, contact) => {
    const [rejecting, first, second, third] = [await open(), await open(), await open(), await open()];
    await dial([
      testTrunk(rejecting.port),
      testTrunk(first.port, { trunkId: 2, destinations: after(second) }),
      testTrunk(third.port, { trunkId: 3 }),
    ]);
    rejecting.answer(await rejecting.receive('INVITE '), 403);
    const invite = await first.receive('INVITE ');
    first.answer(invite, 200, { body: sdp(40_000), contact });
    await first.receive('ACK ');
    const bye = await first.receive('BYE ');
    expect(bye.split(' ', 2)[1]).toBe(invite.split(' ', 2)[1]);
    expect(headerOf(bye, 'To')).toContain('tag=carrier');
    first.answer(bye, 200);
    expect(await ended()).toMatchObject({ cause: 'media-error', sipStatus: 200, reason: 'answer_unusable' });
    expect([...second.rest, ...third.rest]).toEqual([]);
  });
});

describe('an agent who hangs up', () => {
  test('while a destination is silent ends the call, and nothing else is called', async () => {
    const [silent, second] = [await open(), await open()];
    await dial([testTrunk(silent.port), testTrunk(second.port, { trunkId: 2 })]);
    const invite = await silent.receive('INVITE ');
    await fixture.realtime.command('leg:hangup', { callId, legId: legId() });
    expect(await ended()).toMatchObject({ cause: 'local' });
    silent.answer(invite, 503);
    await silent.receive('ACK ');
    expect(second.rest).toEqual([]);
  });

  test('while a call waits for the calls per second of its trunk ends immediately', async () => {
    const carrier = await open();
    const trunk = testTrunk(carrier.port, { trunkId: 71, callsPerSecond: 1 });
    await dial([trunk]);
    carrier.answer(await carrier.receive('INVITE '), 486);
    await ended();
    await dial([trunk]);
    await fixture.realtime.command('leg:hangup', { callId, legId: legId() });
    expect(await ended()).toMatchObject({ cause: 'local' });
    expect(carrier.rest.filter((line) => line.startsWith('INVITE'))).toEqual([]);
  });
});

describe('a 503 with Retry-After', () => {
  test('leaves that destination out of the next call', async () => {
    const [first, second] = [await open(), await open()];
    const trunk = testTrunk(first.port, { destinations: after(second) });
    await dial([trunk]);
    first.answer(await first.receive('INVITE '), 503, { headers: ['Retry-After: 60'] });
    second.answer(await second.receive('INVITE '), 486);
    await ended();
    await first.receive('ACK ');
    await dial([trunk]);
    second.answer(await second.receive('INVITE '), 486);
    expect(await ended()).toMatchObject({ sipStatus: 486 });
    expect(first.rest).toEqual([]);
  });
});

describe('the calls per second of a trunk', () => {
  test('are kept: further calls wait, and one that would wait too long uses the next trunk', async () => {
    const [first, second] = [await open(), await open()];
    const trunks = [
      testTrunk(first.port, { trunkId: 72, callsPerSecond: 1 }),
      testTrunk(second.port, { trunkId: 73 }),
    ];
    const started = performance.now();
    const calls: number[] = [];
    for (let i = 0; i < 5; i += 1) {
      await dial(trunks);
      calls.push(callId);
    }
    second.answer(await second.receive('INVITE '), 486);
    expect(performance.now() - started).toBeLessThan(1_000);
    for (let i = 0; i < 4; i += 1) first.answer(await first.receive('INVITE '), 486);
    expect(performance.now() - started).toBeGreaterThan(2_900);
    for (const id of calls) {
      callId = id;
      expect(await ended()).toMatchObject({ sipStatus: 486 });
    }
  });

  test('without another trunk, a call that would wait too long ends with trunk_rate_limit', async () => {
    const carrier = await open();
    const trunk = testTrunk(carrier.port, { trunkId: 74, callsPerSecond: 1 });
    for (let i = 0; i < 5; i += 1) await dial([trunk]);
    expect(await ended()).toMatchObject({ cause: 'unreachable', reason: 'trunk_rate_limit' });
    for (let id = callId - 4; id < callId; id += 1)
      await fixture.realtime.command('call:release', { callId: id });
  });
});
