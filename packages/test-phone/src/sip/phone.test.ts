import { afterEach, describe, expect, test } from 'vitest';
import { measureTone } from '../audio/goertzel.ts';
import { toSamples } from '../rtp/port.ts';
import { SipPhone, type PhoneOptions } from './phone.ts';
import { parseSip, SipStream } from './message.ts';
import type { SipCall } from './call.ts';

const phones: SipPhone[] = [];
async function open(options: PhoneOptions = {}) {
  const phone = await SipPhone.open(options);
  phones.push(phone);
  return phone;
}
afterEach(() => phones.splice(0).forEach((phone) => phone.close()));

const at = (phone: SipPhone) => ({ host: phone.address, port: phone.port });
const heard = (call: SipCall, packets: number): Promise<void> =>
  new Promise((resolve) => {
    call.audio.onPacket = () => call.audio.heard.length >= packets && resolve();
  });

describe.each(['udp', 'tcp'] as const)('two phones over %s', (transport) => {
  test('exchange audio and hang up', async () => {
    const [caller, carrier] = [await open({ transport }), await open({ transport, laws: ['PCMU'] })];
    const taken = carrier.nextCall();
    const out = await caller.call('+442071838750', at(carrier), { from: '441632960000' });
    const incoming = await taken;
    await out.answered();
    expect([incoming.called, incoming.caller]).toEqual(['+442071838750', '441632960000']);
    expect(out.audio.law).toBe('PCMU');
    out.audio.sendTone(500);
    incoming.audio.sendTone(900);
    await Promise.all([heard(out, 25), heard(incoming, 25)]);
    expect(measureTone(toSamples(out.audio.heard, 'PCMU'), 8000, 900).heard).toBe(true);
    expect(measureTone(toSamples(incoming.audio.heard, 'PCMU'), 8000, 500).heard).toBe(true);
    expect((await out.reinvite('sendonly')).body).toContain('a=recvonly');
    await incoming.hangUp();
    expect(await out.ended()).toMatchObject({ how: 'bye-received' });
    expect(incoming.log).toEqual(['ACK', 're-INVITE', 'ACK']);
  });

  test('a ringing call is cancelled', async () => {
    const [caller, carrier] = [
      await open({ transport }),
      await open({ transport, behaviour: { do: 'ring' } }),
    ];
    const out = await caller.call('100', at(carrier));
    await out.rings();
    await out.hangUp();
    expect(out.end).toMatchObject({ how: 'cancelled', status: 487 });
    expect(carrier.calls[0]?.end).toMatchObject({ how: 'cancel-received' });
  });
});

test('a rejection contains its status and cause', async () => {
  const carrier = await open({ behaviour: { do: 'refuse', status: 486, reason: 'Busy Here', q850: 17 } });
  const out = await (await open()).call('100', at(carrier));
  expect(await out.ended()).toEqual({ how: 'refused', status: 486, reason: 'Busy Here', q850: 17 });
  expect(out.log).toEqual([100, 180, 486]);
});

test('a carrier with an account challenges a call without credentials', async () => {
  const account = { realm: 'carrier', username: 'clarion', password: 'secret' };
  const carrier = await open({ account });
  const out = await (await open()).call('100', at(carrier));
  expect(await out.ended()).toMatchObject({ how: 'refused', status: 407 });
  expect(carrier.calls).toEqual([]);
});

test('a TCP stream is split into messages by Content-Length', () => {
  const stream = new SipStream();
  const text = 'OPTIONS sip:a SIP/2.0\r\nl: 4\r\n\r\nabcd\r\n\r\nSIP/2.0 200 OK\r\nContent-Length: 0\r\n\r\n';
  const messages = [...Buffer.from(text)].flatMap((byte) => stream.push(Buffer.of(byte)));
  expect(messages.map((message) => message.method ?? message.status)).toEqual(['OPTIONS', 200]);
  expect(messages[0]?.body).toBe('abcd');
  expect(parseSip('no sip at all')).toBeNull();
});
