/** Redirects and credentials, over a real wire: carriers whose messages the test writes. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { MediaFixture, type DialChange } from './support/media-fixture.ts';
import { eventually } from './support/fake-realtime.ts';
import { headerOf, RawCarrier, sdp } from './support/raw-carrier.ts';

/** Read by tests/failure-catalogue.test.ts: every entry of the catalogue is produced by a test. */
export const producedFailures = ['redirect_not_followed'];

let fixture: MediaFixture;
const carriers: RawCarrier[] = [];
let callId = 0;
const legId = () => `out-${callId}`;

beforeAll(async () => {
  fixture = await MediaFixture.start();
});
afterEach(async () => {
  await fixture.realtime.command('call:release', { callId });
  await eventually('no leg is left', () => fixture.media.calls.legCount === 0);
  for (const carrier of carriers.splice(0)) carrier.close();
});
afterAll(() => fixture.close());

async function open(address?: string): Promise<RawCarrier> {
  const carrier = await RawCarrier.open(fixture.gateway.sipPort, address);
  carriers.push(carrier);
  return carrier;
}

async function dial(carrier: RawCarrier, change: DialChange = {}): Promise<string> {
  callId = fixture.callId();
  await fixture.dial(callId, legId(), carrier.port, change);
  return carrier.receive('INVITE ');
}

const ended = async () => (await fixture.realtime.fact('leg:ended', legId())).end;
const uriAt = ({ address, port }: RawCarrier, user = '4930777') => `<sip:${user}@${address}:${port}>`;

function redirect(carrier: RawCarrier, invite: string, status: number, ...targets: string[]): void {
  carrier.answer(invite, status, { contact: targets.join(', ') });
}

describe('a redirect', () => {
  test.each([300, 301, 302])('with %i is followed in the order of q', async (status) => {
    const [first, low, high] = [await open(), await open(), await open()];
    redirect(first, await dial(first), status, `${uriAt(low)};q=0.1`, `${uriAt(high)};q=0.9`);
    const invite = await high.receive('INVITE ');
    expect(invite).toMatch(/^INVITE sip:4930777@/);
    high.answer(invite, 503);
    const last = await low.receive('INVITE ');
    low.answer(last, 200, { body: sdp(40_000) });
    expect(await fixture.realtime.fact('leg:connected', legId())).toMatchObject({ trunkId: 1 });
  });

  test('with 305 sends the same number to the proxy', async () => {
    const [first, proxy] = [await open(), await open()];
    redirect(first, await dial(first), 305, `<sip:127.0.0.1:${proxy.port}>`);
    expect(await proxy.receive('INVITE ')).toMatch(/^INVITE sip:4930555@/);
  });

  test('is followed twice at most', async () => {
    const all = [await open(), await open(), await open(), await open()] as const;
    redirect(all[0], await dial(all[0]), 302, uriAt(all[1]));
    redirect(all[1], await all[1].receive('INVITE '), 302, uriAt(all[2]));
    redirect(all[2], await all[2].receive('INVITE '), 302, uriAt(all[3]));
    expect(await ended()).toMatchObject({ sipStatus: 302, reason: 'redirect_not_followed' });
    expect(all[3].rest).toEqual([]);
  });

  test('that leads back to an earlier target ends', async () => {
    const [first, second] = [await open(), await open()];
    redirect(first, await dial(first), 302, uriAt(second));
    redirect(second, await second.receive('INVITE '), 302, uriAt(second), uriAt(first, '4930555'));
    expect(await ended()).toMatchObject({ sipStatus: 302, reason: 'redirect_not_followed' });
  });

  test.each([
    ['another scheme', '<tel:+4930777>'],
    ['a name without an address', '<sip:4930777@gone.invalid:5060>'],
    ['no target', '*'],
  ])('to %s is not followed', async (_, target) => {
    const first = await open();
    redirect(first, await dial(first), 302, target);
    expect(await ended()).toMatchObject({ sipStatus: 302, reason: 'redirect_not_followed' });
  });

  test('to a person who declines ends the call', async () => {
    const [first, declining, other] = [await open(), await open(), await open()];
    redirect(first, await dial(first), 302, `${uriAt(declining)};q=1`, `${uriAt(other)};q=0.5`);
    declining.answer(await declining.receive('INVITE '), 603);
    expect(await ended()).toMatchObject({ sipStatus: 603 });
    expect(other.rest).toEqual([]);
  });
});

describe('credentials', () => {
  const account = { username: 'acme', password: 'secret' };
  const md5 = 'Digest realm="carrier", nonce="n", algorithm=MD5, qop="auth"';
  const sha256 = 'Digest realm="carrier", nonce="n", algorithm=SHA-256, qop="auth"';
  const challenged = (...challenges: string[]) => ({
    headers: challenges.map((challenge) => `WWW-Authenticate: ${challenge}`),
  });

  test('are sent with the strongest algorithm, the same Call-ID and the next CSeq', async () => {
    const carrier = await open();
    const invite = await dial(carrier, { trunk: account });
    carrier.answer(invite, 401, challenged(md5, sha256));
    const again = await carrier.receive('INVITE ');
    expect(headerOf(again, 'Authorization')).toContain('algorithm=SHA-256');
    expect(headerOf(again, 'Authorization')).toContain('nc=00000001');
    expect(headerOf(again, 'Call-ID')).toBe(headerOf(invite, 'Call-ID'));
    expect(headerOf(again, 'From')).toBe(headerOf(invite, 'From'));
    expect(Number.parseInt(headerOf(again, 'CSeq'), 10)).toBe(
      Number.parseInt(headerOf(invite, 'CSeq'), 10) + 1,
    );
  });

  test('are sent once more after a stale nonce, and a second rejection ends with its reason', async () => {
    const carrier = await open();
    carrier.answer(await dial(carrier, { trunk: account }), 401, challenged(md5));
    const stale = 'Digest realm="carrier", nonce="m", stale=true, qop="auth"';
    carrier.answer(await carrier.receive('INVITE '), 401, challenged(stale));
    carrier.answer(await carrier.receive('INVITE '), 401, challenged(md5));
    expect(await ended()).toMatchObject({ sipStatus: 401, reason: 'credentials_rejected' });
    expect(carrier.rest.filter((line) => line.startsWith('INVITE'))).toEqual([]);
  });

  test('are sent with an empty password', async () => {
    const carrier = await open();
    const trunk = { username: 'acme', password: null };
    carrier.answer(await dial(carrier, { trunk }), 407, { headers: [`Proxy-Authenticate: ${md5}`] });
    expect(headerOf(await carrier.receive('INVITE '), 'Proxy-Authorization')).toContain('username="acme"');
  });

  test('that the trunk does not have end the call with the same reason', async () => {
    const carrier = await open();
    carrier.answer(await dial(carrier), 401, challenged(md5));
    expect(await ended()).toMatchObject({ sipStatus: 401, reason: 'credentials_rejected' });
  });

  test('are sent in a BYE that the carrier challenges', async () => {
    const carrier = await open();
    const invite = await dial(carrier, { trunk: account });
    carrier.answer(invite, 200, { body: sdp(40_000) });
    await fixture.realtime.fact('leg:connected', legId());
    await fixture.realtime.command('leg:hangup', { callId, legId: legId() });
    const bye = await carrier.receive('BYE ');
    carrier.answer(bye, 401, challenged(sha256));
    const again = await carrier.receive('BYE ');
    expect(headerOf(again, 'Authorization')).toContain(`uri="${again.split(' ', 2)[1]}"`);
    carrier.answer(again, 200);
    expect(await ended()).toMatchObject({ cause: 'local' });
  });

  test('are not sent to the target of a redirect on another host', async () => {
    const [first, other] = [await open(), await open('127.0.0.2')];
    redirect(first, await dial(first, { trunk: account }), 302, uriAt(other));
    other.answer(await other.receive('INVITE '), 401, challenged(md5));
    expect(await ended()).toMatchObject({ sipStatus: 401 });
    expect(other.rest.filter((line) => line.startsWith('INVITE'))).toEqual([]);
  });

  test('are sent to the target of a redirect on the same host', async () => {
    const [first, second] = [await open(), await open()];
    redirect(first, await dial(first, { trunk: account }), 302, uriAt(second));
    second.answer(await second.receive('INVITE '), 401, challenged(md5));
    expect(headerOf(await second.receive('INVITE '), 'Authorization')).toContain('acme');
  });
});
