/** What a running node captures of its calls, on a real wire. */
import { mediaCallIdOf } from '@clarion/protocol/media';
import { SipPhone } from '@clarion/test-phone/sip/phone';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bridgedCall } from './support/calls.ts';
import { acceptance, eventually } from './support/fake-realtime.ts';
import { linesOf } from './support/ladder-of.ts';
import { MediaFixture } from './support/media-fixture.ts';
import { dialling } from './support/raw-calls.ts';

let fixture: MediaFixture;
beforeAll(async () => {
  fixture = await MediaFixture.start();
});
afterAll(() => fixture.close());

test('captures the messages and the audio of both legs of a call, in order', async () => {
  const bridged = await bridgedCall(fixture);
  await bridged.call.hangUp();
  await bridged.close();
  const part = await fixture.realtime.ladder(bridged.callId);
  // A call that is handed over soon has its first packet sent by mediasoup.
  const lines = linesOf(part, bridged.carrierLegId).filter((line) => line !== 'first-packet-sent');
  // The SIP server reports a message that it has sent a moment later, before or after the end of the leg.
  expect(lines.slice(0, -3)).toEqual([
    '← INVITE',
    '→ 180 INVITE',
    '→ 200 INVITE',
    '← ACK',
    'connected',
    'first-packet-received',
    'handed-over',
    '← BYE',
  ]);
  expect(new Set(lines.slice(-3))).toEqual(new Set(['quality', 'ended', '→ 200 BYE']));
  expect(linesOf(part, bridged.agentLegId)).toEqual(['← offer', '→ answer', 'connected', 'quality', 'ended']);
  const times = part.entries.map(({ ms }) => ms);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  const invite = part.entries[0];
  expect(invite).toMatchObject({ kind: 'sip', ms: 0, transport: 'udp', address: '127.0.0.1' });
  expect(JSON.stringify(part)).not.toMatch(/ice-pwd:(?!\*)|fingerprint:(?!\*)/);
});

test('shows when the audio is taken back and handed over again', async () => {
  const bridged = await bridgedCall(fixture);
  await bridged.hold();
  await eventually('the leg is taken back', () => bridged.leg.handedOverTo === null);
  await bridged.bridge();
  await eventually('the leg is handed over again', () => bridged.leg.handedOverTo !== null);
  await bridged.close();
  const part = await fixture.realtime.ladder(bridged.callId);
  const lines = linesOf(part, bridged.carrierLegId);
  expect(lines.filter((line) => /handed|taken/.test(line))).toEqual([
    'handed-over',
    'taken-back',
    'handed-over',
  ]);
  // The leg ends while its BYE is on the way: the response arrives before or after what is recorded of the end.
  const end = lines.slice(lines.lastIndexOf('handed-over') + 1);
  const inOrder = (...wanted: string[]) =>
    expect(end.filter((line) => wanted.includes(line))).toEqual(wanted);
  inOrder('→ BYE', '← 200 BYE');
  inOrder('quality', 'ended');
});

test('hides digits that are received, and those that are sent, and shows a repeated command once', async () => {
  const bridged = await bridgedCall(fixture);
  await bridged.call.sendInfo('Signal=7\r\nDuration=160\r\n');
  await fixture.realtime.fact('leg:dtmf', bridged.carrierLegId);
  // Digits alone could be part of an ID or a port.
  const digits = '43#21*';
  const command = { callId: bridged.callId, legId: bridged.carrierLegId, digits, id: '1' };
  await fixture.realtime.command('leg:dtmf', command);
  await fixture.realtime.command('leg:dtmf', command);
  await bridged.close();
  const part = await fixture.realtime.ladder(bridged.callId);
  const lines = linesOf(part, bridged.carrierLegId);
  expect(lines).toContain('digit-received');
  expect(lines.filter((line) => line === 'digits-sent')).toHaveLength(1);
  expect(lines).toContain('← INFO');
  const text = JSON.stringify(part);
  expect(text).toContain('Signal=*');
  expect(text).not.toMatch(/Signal=\d/);
  expect(text).not.toContain(digits);
});

test('masks the credentials of a call to a carrier that requires them', async () => {
  const account = { username: 'acme', password: 'secret' };
  const { callId, legId, carrier, first, close } = await dialling(fixture, account);
  carrier.answer(first, 401, {
    headers: ['WWW-Authenticate: Digest realm="carrier", nonce="n1", algorithm=MD5'],
  });
  carrier.answer(await carrier.receive('INVITE '), 486);
  await fixture.realtime.fact('leg:ended', legId);
  const part = await fixture.realtime.ladder(callId);
  const lines = linesOf(part, legId);
  expect(lines.filter((line) => line.includes('INVITE'))).toEqual([
    '→ INVITE',
    '← 401 INVITE',
    '→ INVITE',
    '← 486 INVITE',
  ]);
  const text = JSON.stringify(part);
  expect(text).toContain('username=\\"acme\\"');
  expect(text).toMatch(/response=\\"\*\*\*\\"/);
  expect(text).not.toMatch(/response=\\"[0-9a-f]{32}/);
  await close();
});

test('masks a withheld number in every message', async () => {
  const callId = fixture.callId();
  fixture.realtime.decide = () => acceptance(callId);
  const phone = await SipPhone.open();
  const call = await phone.call('4930123', fixture.sip, {
    from: '+447700900123',
    fromName: 'Grace',
    headers: [
      ['Privacy', 'id'],
      ['P-Asserted-Identity', '"Grace" <sip:+447700900123@carrier.example>'],
    ],
  });
  await call.rings();
  await call.hangUp();
  const part = await fixture.realtime.ladder(callId);
  expect(linesOf(part, part.legs[0]?.id ?? '')).toContain('← CANCEL');
  expect(JSON.stringify(part)).not.toMatch(/7700900123|Grace/);
  expect(JSON.stringify(part)).toContain('4930123');
  phone.close();
});

test('sends the ladder of a refused INVITE only if the refusal is stored', async () => {
  const phone = await SipPhone.open();
  fixture.realtime.decide = () => ({ action: 'reject', status: 404, reason: 'Not Found' });
  await (await phone.call('1', fixture.sip)).ended();
  fixture.realtime.decide = () => ({ action: 'reject', status: 403, reason: 'Forbidden', stored: true });
  await (await phone.call('2', fixture.sip)).ended();
  const inviteId = fixture.realtime.invites.at(-1)?.inviteId ?? '';
  const part = await fixture.realtime.refusalLadder(inviteId);
  expect(linesOf(part, 'invite')).toEqual(['← INVITE', '→ 403 INVITE']);
  expect(fixture.realtime.ladders.filter((one) => one.inviteId !== null)).toHaveLength(1);
  phone.close();
});

test('sends a ladder again until it is acknowledged', async () => {
  fixture.realtime.acks = false;
  const callId = fixture.callId();
  fixture.realtime.decide = () => acceptance(callId);
  const phone = await SipPhone.open();
  const call = await phone.call('4930123', fixture.sip);
  await call.rings();
  await call.hangUp();
  const before = fixture.realtime.ladderMessages;
  await eventually('the ladder is sent', () => fixture.realtime.ladderMessages > before);
  expect(fixture.realtime.ladders.some((one) => one.callId === callId)).toBe(false);
  fixture.realtime.acks = true;
  const part = await fixture.realtime.ladder(callId);
  expect(part.entries.length).toBeGreaterThan(3);
  phone.close();
});

test('is not sent of a forwarded call, which nobody stores', async () => {
  const phone = await SipPhone.open();
  const leave = async (callId: number) => {
    fixture.realtime.decide = () => acceptance(callId);
    const call = await phone.call('1', fixture.sip);
    await call.rings();
    await call.hangUp();
    await fixture.realtime.fact('leg:ended', fixture.realtime.invites.at(-1)?.legId ?? '');
  };
  const callId = fixture.callId();
  await leave(mediaCallIdOf({ id: callId }));
  await leave(callId);
  await fixture.realtime.ladder(callId);
  expect(fixture.realtime.ladders.filter((ladder) => (ladder.callId ?? 0) < 0)).toEqual([]);
  phone.close();
});
