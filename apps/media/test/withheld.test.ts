/** A withheld number that the carrier passes on appears in no request to realtime, no fact and no log. */
import { Writable } from 'node:stream';
import pino from 'pino';
import { SipPhone } from '@clarion/test-phone/sip/phone';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { MediaFixture } from './support/media-fixture.ts';
import { acceptance, eventually } from './support/fake-realtime.ts';

const DIGITS = '447700900123';
let fixture: MediaFixture;
let phone: SipPhone;
let logged = '';

beforeAll(async () => {
  const stream = new Writable({
    write: (chunk: Buffer, _, done) => {
      logged += chunk.toString();
      done();
    },
  });
  fixture = await MediaFixture.start({}, [], {}, pino({ level: 'info' }, stream));
});
afterEach(async () => {
  phone.close();
  await eventually('no leg is left', () => fixture.media.calls.legCount === 0);
});
afterAll(() => fixture.close());

test.each([
  [`+${DIGITS}`, 'Grace', [['Privacy', 'id']]],
  ['anonymous', 'Anonymous', []],
  [`+${DIGITS}`, 'Grace', [['Privacy', 'user;critical']]],
  [`+${DIGITS}`, 'Grace', [['Remote-Party-ID', `<sip:+${DIGITS}@carrier.example>;privacy=full`]]],
] as const)('a caller from %s called %s with %o is anonymous', async (from, fromName, privacy) => {
  const callId = fixture.callId();
  fixture.realtime.decide = () => acceptance(callId);
  phone = await SipPhone.open();
  const call = await phone.call('4930123', fixture.sip, {
    from,
    fromName,
    headers: [
      ['P-Asserted-Identity', `"Grace" <sip:+${DIGITS}@carrier.example>`],
      ...privacy.map(([name, value]): [string, string] => [name, value]),
    ],
  });
  await call.rings();
  const invite = fixture.realtime.invites.at(-1);
  expect(invite).toMatchObject({
    withheld: true,
    fromUser: 'anonymous',
    fromName: null,
    assertedUser: null,
    requestUser: '4930123',
  });
  await call.hangUp();
  await fixture.realtime.fact('leg:ended', invite?.legId ?? '');
  expect(JSON.stringify(invite)).not.toMatch(/447700900123|Grace/);
  expect(logged).toContain('inbound call');
  expect(logged).not.toMatch(/447700900123|Grace/);
});
