/** A withheld number that the carrier passes on to us appears in no question to realtime, no fact and no log. */
import { Writable } from 'node:stream';
import pino from 'pino';
import { SipPhone } from '@clarion/test-phone/sip/phone';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { Bench } from './bench.ts';
import { eventually } from './fake-realtime.ts';

const DIGITS = '447700900123';
let bench: Bench;
let phone: SipPhone;
let logged = '';

beforeAll(async () => {
  const stream = new Writable({
    write: (chunk: Buffer, _, done) => {
      logged += chunk.toString();
      done();
    },
  });
  bench = await Bench.start({}, [], {}, pino({ level: 'info' }, stream));
});
afterEach(async () => {
  phone.close();
  await eventually('no leg is left', () => bench.media.calls.legCount === 0);
});
afterAll(() => bench.close());

test.each([
  [`+${DIGITS}`, 'Grace', [['Privacy', 'id']]],
  ['anonymous', 'Anonymous', []],
  [`+${DIGITS}`, 'Grace', [['Privacy', 'user;critical']]],
  [`+${DIGITS}`, 'Grace', [['Remote-Party-ID', `<sip:+${DIGITS}@carrier.example>;privacy=full`]]],
] as const)('a caller from %s called %s with %o is anonymous', async (from, fromName, privacy) => {
  const callId = bench.callId();
  bench.realtime.answer = () => ({ action: 'accept', callId, sourceCidrs: [], ownEndpoint: false });
  phone = await SipPhone.open();
  const call = await phone.call('4930123', bench.sip, {
    from,
    fromName,
    headers: [
      ['P-Asserted-Identity', `"Grace" <sip:+${DIGITS}@carrier.example>`],
      ...privacy.map(([name, value]): [string, string] => [name, value]),
    ],
  });
  await call.rings();
  const question = bench.realtime.questions.at(-1);
  expect(question).toMatchObject({
    withheld: true,
    fromUser: 'anonymous',
    fromName: null,
    assertedUser: null,
    requestUser: '4930123',
  });
  await call.hangUp();
  await bench.realtime.fact('leg:ended', question?.legId ?? '');
  expect(JSON.stringify(question)).not.toMatch(/447700900123|Grace/);
  expect(logged).toContain('inbound call');
  expect(logged).not.toMatch(/447700900123|Grace/);
});
