/** Outbound calls through Debian's Kamailio as the carrier: failover, redirects and digest against software that is not ours. */
import { SipPhone } from '@clarion/test-phone/sip/phone';
import { hasKamailio, type Kamailio } from '@clarion/testkit/peers/kamailio';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { TrunkTarget } from '@clarion/protocol/media';
import { containsTone } from './support/calls.ts';
import { eventually } from './support/fake-realtime.ts';
import { startKamailioCarrier, type KamailioCarrierOptions } from './support/kamailio-carrier.ts';
import { MediaFixture, testTrunk } from './support/media-fixture.ts';

let fixture: MediaFixture;
let phone: SipPhone;
let callId = 0;
const carriers: Kamailio[] = [];
const legId = () => `out-${callId}`;

beforeAll(async () => {
  fixture = await MediaFixture.start();
});
afterEach(async () => {
  await fixture.realtime.command('call:release', { callId });
  await eventually('no leg is left', () => fixture.media.calls.legCount === 0);
  for (const carrier of carriers.splice(0)) await carrier.stop();
  phone.close();
});
afterAll(() => fixture.close());

async function carrier(options: Omit<KamailioCarrierOptions, 'phonePort'> = {}): Promise<Kamailio> {
  const started = await startKamailioCarrier({ phonePort: phone.port, ...options });
  carriers.push(started);
  return started;
}

async function dial(called: string, ...trunks: TrunkTarget[]): Promise<void> {
  callId = fixture.callId();
  await fixture.realtime.command('carrier:dial', {
    callId,
    legId: legId(),
    attempts: trunks.map((trunk) => ({ trunk, called, caller: '4917111', callerName: null })),
    ringTimeoutMs: 20_000,
  });
}

const connected = () => fixture.realtime.fact('leg:connected', legId());
const ended = async () => (await fixture.realtime.fact('leg:ended', legId())).end;

describe.skipIf(!hasKamailio)('a call through Kamailio', () => {
  test('is answered, heard in both directions, and ended by us', async () => {
    phone = await SipPhone.open({ laws: ['PCMA'], behaviour: { do: 'answer' } });
    const { port } = await carrier();
    callId = fixture.callId();
    const agentLegId = `agent-${callId}`;
    const agent = await fixture.agent(callId, agentLegId);
    await fixture.dial(callId, legId(), port, {});
    await connected();
    await fixture.route(callId, {
      [legId()]: [{ kind: 'leg', legId: agentLegId }],
      [agentLegId]: [{ kind: 'leg', legId: legId() }],
    });
    const call = phone.calls[0];
    call?.audio.sendTone(600);
    agent.sendTone(1_200);
    await eventually('the agent hears the phone', () => containsTone(agent.heard, 'PCMA', 600));
    const heard = call?.audio.heard ?? [];
    await eventually('the phone hears the agent', () => containsTone(heard, 'PCMA', 1_200));
    await fixture.realtime.command('leg:hangup', { callId, legId: legId() });
    expect(await call?.ended()).toMatchObject({ how: 'bye-received' });
    agent.close();
  });

  test.each(['MD5', 'SHA-256'] as const)('is authenticated with %s, and so is its BYE', async (algorithm) => {
    phone = await SipPhone.open({ behaviour: { do: 'answer' } });
    const account = { username: 'acme', password: 'right' };
    const { port } = await carrier({ account: { ...account, algorithm } });
    await dial('4930555', testTrunk(port, account));
    await connected();
    await fixture.realtime.command('leg:hangup', { callId, legId: legId() });
    expect(await phone.calls[0]?.ended()).toMatchObject({ how: 'bye-received' });
  });

  test('with a wrong password ends with its reason, without a backup trunk, and is placed on one otherwise', async () => {
    phone = await SipPhone.open({ behaviour: { do: 'answer' } });
    const account = { username: 'acme', password: 'right', algorithm: 'SHA-256' } as const;
    const [strict, open] = [await carrier({ account }), await carrier()];
    const wrong = testTrunk(strict.port, { username: 'acme', password: 'wrong' });
    await dial('4930555', wrong);
    expect(await ended()).toMatchObject({ sipStatus: 407, reason: 'credentials_rejected' });
    await dial('4930555', wrong, testTrunk(open.port, { trunkId: 2 }));
    expect(await connected()).toMatchObject({ trunkId: 2 });
  });

  test('is redirected to another carrier', async () => {
    phone = await SipPhone.open({ behaviour: { do: 'answer' } });
    const other = await carrier();
    const { port } = await carrier({ redirectTo: `sip:4930777@127.0.0.1:${other.port}` });
    await dial('4930302', testTrunk(port));
    await connected();
    expect(phone.calls[0]?.called).toBe('4930777');
  });

  test('that is rejected with 503 or 404 is placed on the backup trunk; with 486 or 603 it ends', async () => {
    phone = await SipPhone.open({ behaviour: { do: 'answer' } });
    const first = await carrier();
    const straight = testTrunk(phone.port, { trunkId: 2 });
    for (const status of [503, 404]) {
      await dial(`4930${status}`, testTrunk(first.port), straight);
      expect(await connected()).toMatchObject({ trunkId: 2 });
      await fixture.realtime.command('call:release', { callId });
    }
    for (const status of [486, 603]) {
      await dial(`4930${status}`, testTrunk(first.port), straight);
      expect(await ended()).toMatchObject({ sipStatus: status });
    }
    expect(phone.calls).toHaveLength(2);
  });

  test('that cannot be relayed to a phone that does not respond is ended by the ring time', async () => {
    phone = await SipPhone.open({ behaviour: { do: 'ignore' } });
    const { port } = await carrier();
    callId = fixture.callId();
    await fixture.dial(callId, legId(), port, { ringTimeoutMs: 1_000 });
    expect(await ended()).toMatchObject({ cause: 'no-answer-local' });
  });
});
