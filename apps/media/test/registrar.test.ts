/** Registration with Debian's Kamailio, and a call that it sends to the registered contact. */
import type { RegisterReply } from '@clarion/protocol/carrier-requests';
import type { TrunkTarget } from '@clarion/protocol/media';
import { SipPhone } from '@clarion/test-phone/sip/phone';
import { hasKamailio, type Kamailio } from '@clarion/testkit/peers/kamailio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { acceptance } from './support/fake-realtime.ts';
import { startKamailioRegistrar } from './support/kamailio-registrar.ts';
import { MediaFixture, testTrunk } from './support/media-fixture.ts';

const REALM = 'carrier.example';
const PASSWORD = 'correct horse';

describe.skipIf(!hasKamailio)('a registrar', () => {
  let media: MediaFixture;
  let registrar: Kamailio;
  let cseq = 1;
  beforeAll(async () => {
    media = await MediaFixture.start();
    registrar = await startKamailioRegistrar({ realm: REALM, password: PASSWORD, minExpiresSeconds: 120 });
  });
  afterAll(async () => {
    await media.close();
    await registrar.stop();
  });

  const trunk = (change: Partial<TrunkTarget> = {}): TrunkTarget =>
    testTrunk(registrar.port, {
      username: 'acme',
      password: PASSWORD,
      identity: { ...testTrunk(1).identity, fromDomain: REALM },
      ...change,
    });
  const registration = () => ({ contactUser: 'acme-carrier', sipCallId: 'one', cseq: (cseq += 5) });
  const register = (expiresSeconds: number, change: Partial<TrunkTarget> = {}): Promise<RegisterReply> =>
    media.realtime.command('trunk:register', {
      target: trunk(change),
      registration: registration(),
      expiresSeconds,
    });

  test('accepts our credentials, and its calls come to the contact that names the trunk', async () => {
    expect(await register(600)).toMatchObject({ status: 200, digest: 'accepted', expiresSeconds: 600 });
    // Refreshed with the same Call-ID and a higher number.
    expect(await register(300)).toMatchObject({ status: 200, expiresSeconds: 300 });
    media.realtime.decide = () => acceptance(1);
    const phone = await SipPhone.open();
    try {
      const call = await phone.call('acme', { host: '127.0.0.1', port: registrar.port });
      await expect
        .poll(() => media.realtime.invites.at(-1))
        .toMatchObject({ requestUser: 'acme-carrier', toUser: 'acme', source: { address: '127.0.0.1' } });
      await call.hangUp();
    } finally {
      phone.close();
    }
    const removed = await media.realtime.command('trunk:unregister', {
      target: trunk(),
      registration: registration(),
    });
    expect(removed).toMatchObject({ status: 200, digest: 'accepted' });
  });

  test('grants over TCP too', async () => {
    expect(await register(600, { transport: 'TCP' })).toMatchObject({ status: 200, expiresSeconds: 600 });
  });

  test('demands a longer time, rejects wrong credentials and unknown accounts', async () => {
    expect(await register(30)).toMatchObject({ status: 423, minExpiresSeconds: 120 });
    expect(await register(600, { password: 'wrong' })).toMatchObject({ status: 401, digest: 'rejected' });
    expect(await register(600, { username: null })).toMatchObject({ digest: 'missing' });
    expect(await register(600, { username: 'unknown' })).toMatchObject({ status: 404, digest: 'none' });
  });
});
