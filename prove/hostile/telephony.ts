/** Attacks on the SIP gateway, its control port, and the ports of audio. */
import { randomBytes } from 'node:crypto';
import { sipText } from '@clarion/test-phone/sip/text';
import { TORTURE } from '../../packages/sip-gateway/test/torture/messages.ts';
import type { Attack } from './attack.ts';
import { HOST, inParallel, openDatagrams, openLine, say, stranger } from './wire.ts';

const TCP_MS = 200;
const SDP =
  'v=0\r\no=- 1 1 IN IP4 127.0.0.9\r\ns=-\r\nc=IN IP4 127.0.0.9\r\nt=0 0\r\nm=audio 4000 RTP/AVP 8 0\r\n';

let calls = 0;

/** A request from an unknown phone. */
export function sipRequest(
  method: string,
  { toTag = '', uri = `sip:123@${HOST}`, body = '' }: { toTag?: string; uri?: string; body?: string } = {},
): string {
  calls += 1;
  const lines = [
    `${method} ${uri} SIP/2.0`,
    `Via: SIP/2.0/UDP 127.0.0.9:5060;branch=z9hG4bKh${calls};rport`,
    `From: <sip:stranger@127.0.0.9>;tag=f${calls}`,
    `To: <${uri}>${toTag === '' ? '' : `;tag=${toTag}`}`,
    `Call-ID: hostile-${calls}`,
    `CSeq: 1 ${method}`,
    'Contact: <sip:stranger@127.0.0.9>',
    'Max-Forwards: 70',
  ];
  return sipText(lines, body);
}

export const sampleInvite = (): string => sipRequest('INVITE', { body: SDP });

/** What internet scanners and attackers send outside of any call. */
const sipFlood: Attack = {
  name: 'a flood of INVITEs with To tags, CANCELs and others outside of any dialog',
  async run({ t, chance }, scale) {
    const methods = [
      'INVITE',
      'CANCEL',
      'BYE',
      'ACK',
      'INFO',
      'UPDATE',
      'REFER',
      'PRACK',
      'NOTIFY',
      'SUBSCRIBE',
      'REGISTER',
    ];
    const datagrams = await openDatagrams(stranger(chance));
    for (let count = 0; count < 5_000 * scale; count += 1) {
      const method = chance.often(0.6) ? chance.pick(['INVITE', 'CANCEL']) : chance.pick(methods);
      await datagrams.send(sipRequest(method, { toTag: 'none', body: SDP }), t.sip.port);
    }
    for (let count = 0; count < 1_000 * scale; count += 1) await datagrams.send(sampleInvite(), t.sip.port);
    datagrams.close();
    return [];
  },
};

/** The messages of RFC 4475 and an INVITE, cut short everywhere, over both transports. */
const cutMessages: Attack = {
  name: 'torture and truncated SIP over UDP and TCP',
  async run({ t, chance }, scale) {
    const whole = [sampleInvite(), ...TORTURE.map(({ text }) => text)];
    const step = Math.max(1, Math.round(7 / scale));
    const cut = whole.flatMap((text) =>
      Array.from({ length: Math.ceil(text.length / step) }, (_, i) => text.slice(0, i * step)),
    );
    const datagrams = await openDatagrams(stranger(chance));
    for (const text of [...whole, ...cut]) await datagrams.send(text, t.sip.port);
    datagrams.close();
    const streams = [...whole, ...cut.filter((_, i) => i % 50 === 0)];
    await inParallel(streams, 30, (text) =>
      say(t.sip.port, Buffer.from(text, 'latin1'), { from: stranger(chance), waitMs: TCP_MS }),
    );
    return [];
  },
};

/** Headers or bodies that do not match their announced length. */
const STREAMS: readonly string[] = [
  sipRequest('INVITE').replace('Content-Length: 0', 'Content-Length: 999999999'),
  sipRequest('INVITE').replace('Content-Length: 0', 'Content-Length: -1'),
  sipRequest('INVITE').replace('Max-Forwards: 70', `X: ${'a'.repeat(2_000_000)}`),
  sipRequest('OPTIONS').repeat(500),
  '\r\n\r\n'.repeat(50_000),
  '\0'.repeat(500_000),
  'INVITE',
  '',
];
const CONTROL_FRAMES: readonly string[] = [
  '1|authenticate|wrong',
  '99999999999999999999#a|ping',
  '-1#a|ping',
  '0#',
  '10#a|sip|||||',
  '19#abc|route|invite|||',
  '#'.repeat(100_000),
  '5'.repeat(100_000),
  '\0'.repeat(100_000),
];

const streams: Attack = {
  name: 'incomplete messages over TCP, at the SIP and the control port',
  async run({ t, chance }, scale) {
    const { sip, sipControl } = t.stack.ports;
    const all = [
      ...STREAMS.map((bytes) => ({ port: sip, bytes })),
      ...CONTROL_FRAMES.map((bytes) => ({ port: sipControl, bytes })),
    ];
    const silent = Array.from({ length: Math.ceil(200 * scale) }, () => openLine(sip, stranger(chance)));
    const rounds = Array.from({ length: Math.ceil(10 * scale) }, () => all).flat();
    await inParallel(rounds, 10, ({ port, bytes }) =>
      say(port, bytes, { from: stranger(chance), waitMs: TCP_MS }),
    );
    for (const { socket } of silent) socket.destroy();
    return [];
  },
};

/** RTP, RTCP, STUN and DTLS as far as their first bytes tell, and noise. */
export function mediaNoise(bytes: Buffer = randomBytes(200), kind = 0): Buffer {
  const noise = Buffer.from(bytes);
  const first = [0x80, 0x81, 0xbf, 0x00, 0x01, 0x16, 0x14, 0x90][kind % 8];
  if (first !== undefined && noise.length > 0) noise[0] = first;
  if (noise.length > 1 && kind % 16 > 7) noise[1] = 200 + (kind % 5); // an RTCP packet type
  return noise;
}

const audioNoise: Attack = {
  name: 'garbage at the ports of a live call',
  async run({ t, chance, live }, scale) {
    const port = live.call.audio.remote?.port ?? 0;
    const { webrtc } = t.stack.ports;
    const wrong = port === 0 ? ['the live call has no audio port'] : [];
    // From elsewhere, and from another port of the carrier's own address.
    for (const from of [stranger(chance), HOST]) {
      const datagrams = await openDatagrams(from);
      for (let count = 0; count < 3_000 * scale; count += 1) {
        const noise = mediaNoise(randomBytes(Math.floor(chance.between(0, 1_400))), count);
        for (const target of [port, port + 1, webrtc]) await datagrams.send(noise, target);
      }
      datagrams.close();
    }
    await inParallel(Array.from({ length: Math.ceil(50 * scale) }), 10, () =>
      say(webrtc, randomBytes(20_000), { from: stranger(chance), waitMs: TCP_MS }),
    );
    return wrong;
  },
};

export const telephonyAttacks: readonly Attack[] = [sipFlood, cutMessages, streams, audioNoise];
