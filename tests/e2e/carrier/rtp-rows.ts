/** Audio other than a continuous stream of 20 ms packets, and imperfect networks. */
import { RtpPort } from '@clarion/test-phone/rtp/port';
import { duplicating, jittering, losing, stalling, swapping } from '@clarion/test-phone/carrier/network';
import { toneOf, toneWithPauses, comfortNoise } from '@clarion/test-phone/carrier/voice';
import { carrierSdp } from '@clarion/test-phone/carrier/sdp';
import { hears, hearsNothing } from '@clarion/test-phone/carrier/hearing';
import { buildRtp } from '@clarion/test-phone/rtp/packet';
import { setTimeout as sleep } from 'node:timers/promises';
import { seen } from './steps.ts';
import { AUDIO_WITHIN_MS, type CarrierRow, type Talk } from './talk.ts';

const FIRST_PACKETS_MS = 1_000;
const NOISE_MS = 1_500;
const NEWEST = 10;
/** Half a second of audio, before it is measured. */
const NETWORK_PACKETS = 25;
/** The least share of sent packets that must arrive; the worst network loses one in five. */
const LEAST_ARRIVED = 0.6;

const onNetwork = (
  behaviour: string,
  cites: string,
  network: NonNullable<RtpPort['network']>,
  rough = true,
): CarrierRow => ({
  behaviour,
  cites,
  way: 'in',
  how: { rough },
  async talk({ far, leg }) {
    let sent = 0;
    far.audio.network = (packet, go) => {
      sent += 1;
      network(packet, go);
    };
    const before = leg.heard.length;
    const arrived = () => (leg.heard.length - before) / sent;
    // From here on, only packets that passed this network are measured.
    await seen(() => sent >= NETWORK_PACKETS, 'the carrier sends no packets');
    await seen(() => arrived() >= LEAST_ARRIVED, `only ${arrived()} of the packets arrived`);
  },
});

const inPacketsOf = (ptimeMs: number): CarrierRow => ({
  behaviour: `sends packets of ${ptimeMs} ms and requests the same`,
  cites: 'RFC 8866 §6.4, RFC 3551 §4.2',
  way: 'in',
  invite: { sdp: (call) => carrierSdp(call, { ptime: ptimeMs }) },
  voice: ({ far, carrierHz }) => void toneOf(far.audio, carrierHz, ptimeMs),
  async talk({ far }) {
    const ours = () => far.audio.heard.slice(-NEWEST).map(({ payload }) => payload.length / 8);
    await seen(() => ours().every((ms) => ms === ptimeMs), `our packets are not of ${ptimeMs} ms`);
  },
});

/** RTP as another endpoint would send it to the same port. */
function packetOf(far: Talk['far'], more: Partial<Parameters<typeof buildRtp>[0]>): Buffer {
  const { sequence, timestamp, ssrc } = far.audio;
  const payload = new Uint8Array(160).fill(0xd5);
  return buildRtp({ payloadType: 8, marker: false, sequence, timestamp, ssrc, payload, ...more });
}

/** The same packet with one contributing source, a header extension of one element (RFC 8285, section 4.2) and four octets of padding. */
const extended = (plain: Buffer): Buffer =>
  Buffer.concat([
    Buffer.of((plain[0] ?? 0) | 0x30 | 1, ...plain.subarray(1, 12)),
    Buffer.from('01020304bede0001100b0000', 'hex'),
    plain.subarray(12),
    Buffer.of(0, 0, 0, 4),
  ]);

export const rtpRows: CarrierRow[] = [
  onNetwork('loses a packet in twenty', 'RFC 3550 §6.4.1', losing(0.05)),
  onNetwork('loses a packet in five', 'RFC 3550 §6.4.1', losing(0.2)),
  onNetwork('has 40 ms of jitter', 'RFC 3550 §6.4.1, §A.8', jittering(40)),
  onNetwork('swaps every tenth packet with the next', 'RFC 3550 §5.1, §A.1', swapping(10)),
  onNetwork('sends every packet twice', 'RFC 3550 §A.1', duplicating, false),
  onNetwork('stalls for 100 ms every half second', 'RFC 3550 §6.4.1', stalling(500, 100)),
  inPacketsOf(10),
  inPacketsOf(30),
  inPacketsOf(40),
  inPacketsOf(60),
  {
    behaviour: 'sends packets of 30 ms though it announced 20',
    cites: 'RFC 8866 §6.4, RFC 3264 §6.1',
    way: 'in',
    voice: ({ far, carrierHz }) => void toneOf(far.audio, carrierHz, 30),
  },
  {
    behaviour: 'changes its SSRC in the middle of the call',
    cites: 'RFC 3550 §8.1, §8.2',
    way: 'in',
    async talk({ far }) {
      far.audio.changeSsrc();
    },
  },
  {
    behaviour: 'changes its SSRC three times within a second',
    cites: 'RFC 3550 §8.2',
    way: 'out',
    async talk({ far }) {
      for (let times = 0; times < 3; times += 1) {
        far.audio.changeSsrc();
        await sleep(FIRST_PACKETS_MS / 4);
      }
    },
  },
  {
    behaviour: 'lets sequence number and timestamp jump under the same SSRC',
    cites: 'RFC 3550 §5.1, §A.1',
    way: 'in',
    how: { rough: true },
    async talk({ far }) {
      far.audio.sequence = (far.audio.sequence + 20_000) & 0xffff;
      far.audio.timestamp = (far.audio.timestamp + 16_000_000) >>> 0;
    },
  },
  {
    behaviour: 'wraps its sequence number and its timestamp',
    cites: 'RFC 3550 §5.1, §A.1',
    way: 'in',
    voice({ far, carrierHz }) {
      far.audio.sequence = 0xffff - 20;
      far.audio.timestamp = 2 ** 32 - 160 * 25;
      far.audio.sendTone(carrierHz);
    },
    listensFirst: true,
  },
  {
    behaviour: 'sends from a different port than announced',
    cites: 'RFC 4961 §3, RFC 3264 §5.1',
    way: 'in',
    invite: { sdp: (call) => carrierSdp(call, { port: 9 }) },
  },
  {
    behaviour: 'sends to our port while an unknown source does so too',
    cites: 'RFC 3550 §8.2, §9',
    way: 'in',
    async talk({ leg, far }) {
      const stranger = await RtpPort.open();
      stranger.remote = far.audio.remote;
      stranger.sendTone(2_500);
      await hearsNothing(leg, 2_500, { who: 'the agent', forMs: 400, settleMs: 100 });
      stranger.close();
    },
  },
  {
    behaviour: 'sends comfort noise instead of silence',
    cites: 'RFC 3389 §4',
    way: 'in',
    async talk({ far, leg, carrierHz }) {
      toneWithPauses(far.audio, carrierHz, 400, 400);
      await hears(leg, carrierHz, { who: 'the agent', withinMs: AUDIO_WITHIN_MS });
      comfortNoise(far.audio);
      await sleep(NOISE_MS);
      far.audio.sendTone(carrierHz);
    },
  },
  {
    behaviour: 'sends nothing during silence',
    cites: 'RFC 3551 §4.1',
    way: 'in',
    async talk({ far, carrierHz }) {
      far.audio.silence();
      await sleep(NOISE_MS);
      far.audio.timestamp = (far.audio.timestamp + NOISE_MS * 8) >>> 0;
      far.audio.sendTone(carrierHz);
    },
  },
  {
    behaviour: 'starts to send audio a second and a half after the answer',
    cites: 'RFC 3264 §5.1',
    way: 'in',
    voice: ({ far, carrierHz }) => void setTimeout(() => far.audio.sendTone(carrierHz), NOISE_MS),
    listensFirst: true,
  },
  {
    behaviour: 'switches to the other negotiated law without signalling',
    cites: 'RFC 3264 §7',
    way: 'in',
    async talk({ far, carrierHz }) {
      far.audio.law = 'PCMU';
      far.audio.sendTone(carrierHz);
    },
  },
  {
    behaviour: 'sends header extensions, padding and contributing sources',
    cites: 'RFC 3550 §5.1, §5.3.1',
    way: 'in',
    voice({ far, carrierHz }) {
      far.audio.network = (packet) => far.audio.sendRaw(extended(packet));
      far.audio.sendTone(carrierHz);
    },
  },
  {
    behaviour: 'sends packets to our port that are not RTP',
    cites: 'RFC 3550 §A.1, RFC 5761 §4',
    way: 'out',
    async talk({ far }) {
      for (const bytes of ['', '80', '8008', '00'.repeat(172), 'ff'.repeat(40), '80c90001deadbeef'])
        far.audio.sendRaw(Buffer.from(bytes, 'hex'));
      far.audio.sendRaw(packetOf(far, { payloadType: 96 }));
      far.audio.sendRaw(packetOf(far, { ssrc: 1, payload: new Uint8Array(0) }));
    },
  },
  {
    behaviour: 'sends RTCP BYE for a stream that continues',
    cites: 'RFC 3550 §6.3.7, §6.6',
    way: 'in',
    async talk({ far }) {
      const bye = Buffer.alloc(8);
      bye.writeUInt32BE(0x81cb0001, 0);
      bye.writeUInt32BE(far.audio.ssrc, 4);
      far.audio.sendRaw(bye);
    },
  },
];
