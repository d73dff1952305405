/**
 * INVITEs that claim to come from the carrier of a trunk, in every header, from addresses that are none of its sources: none becomes a call,
 * and none gets more than a rejection.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { openCallCentre } from '@clarion/testkit/stack/call-centre';
import type { TestStack } from '@clarion/testkit/stack/stack';
import { stranger } from '../hostile/wire.ts';
import { SeededRandom } from '../lib/seeded-random.ts';

export interface SpoofedPlan {
  invites: number;
  seed: number;
}

export interface SpoofedResult {
  /** INVITEs with a final response. */
  answered: number;
  statuses: Map<number, number>;
  wrong: string[];
}

const HOST = '127.0.0.1';
/** Below what the gateway passes on from all strangers (flood-guard.ts), so that the INVITEs are decided and not dropped. */
const PER_SECOND = 140;
const BATCH = 25;
const LAST_ANSWERS_MS = 1_000;
/** A proof needs INVITEs that were decided. */
const LEAST_ANSWERED = 0.9;
const SDP = `v=0\r\no=- 1 1 IN IP4 ${HOST}\r\ns=-\r\nc=IN IP4 ${HOST}\r\nt=0 0\r\nm=audio 4000 RTP/AVP 8 0\r\n`;

/** Headers by which a request may claim another origin. */
const CLAIMS: readonly ((carrier: string) => string)[] = [
  (carrier) => `X-Forwarded-For: ${carrier}`,
  (carrier) => `X-Real-IP: ${carrier}`,
  (carrier) => `P-Asserted-Identity: <sip:+441632960123@${carrier}>`,
  (carrier) => `Record-Route: <sip:${carrier}:5060;lr>`,
  (carrier) => `Route: <sip:${carrier}:5060;lr>`,
  (carrier) => `Diversion: <sip:+441632960123@${carrier}>;reason=unconditional`,
  (carrier) => `P-Preferred-Identity: <sip:+441632960123@${carrier}>`,
  (carrier) => `Via: SIP/2.0/UDP ${carrier}:5060;branch=z9hG4bKbehind;received=${carrier}`,
  () => 'Authorization: Digest username="carrier", realm="sip", nonce="0", uri="sip:x", response="0"',
];

function spoofed(random: SeededRandom, index: number, number: string, carrier: string): string {
  const user = random.pick([number, number.slice(1), `00${number.slice(1)}`, `%2B${number.slice(1)}`]);
  const host = random.pick([HOST, carrier, 'localhost', `${carrier}:5060`]);
  const via = random.pick([
    `${carrier}:5060;branch=z9hG4bKspoof${index};rport`,
    `${carrier};branch=z9hG4bKspoof${index};received=${carrier};rport=5060`,
    `${carrier}:5060;branch=z9hG4bKspoof${index};maddr=${carrier};rport`,
  ]);
  const claims = CLAIMS.filter(() => random.often(0.4)).map((claim) => claim(carrier));
  return [
    `INVITE sip:${user}@${host} SIP/2.0`,
    `Via: SIP/2.0/UDP ${via}`,
    ...claims,
    `From: <sip:+441632960123@${carrier}>;tag=s${index}`,
    `To: <sip:${user}@${host}>`,
    `Call-ID: spoofed-${index}@${carrier}`,
    'CSeq: 1 INVITE',
    `Contact: <sip:carrier@${carrier}:5060>`,
    'Max-Forwards: 70',
    'Content-Type: application/sdp',
    `Content-Length: ${SDP.length}`,
    '',
    SDP,
  ].join('\r\n');
}

export async function runSpoofed(t: TestStack, { invites, seed }: SpoofedPlan): Promise<SpoofedResult> {
  const random = new SeededRandom(seed);
  const { main } = await openCallCentre(t, { tenant: 'spoofed', agents: [] });
  const callsNow = () => t.db.call.count({ where: { sipTrunkId: t.account.trunkId } });
  const before = await callsNow();
  const answered = new Map<string, number>();
  const ringing: string[] = [];
  const listen = (message: Buffer) => {
    const text = message.toString('latin1');
    const status = Number(/^SIP\/2.0 (\d{3})/.exec(text)?.[1] ?? 0);
    const callId = /^Call-ID: (\S+)/im.exec(text)?.[1] ?? '';
    if (status >= 300) answered.set(callId, status);
    else if (status > 100) ringing.push(`${status} for ${callId}`);
  };
  for (let sent = 0; sent < invites; sent += BATCH) {
    const socket = createSocket('udp4', listen);
    socket.bind(0, stranger(random));
    await once(socket, 'listening');
    for (let i = sent; i < Math.min(invites, sent + BATCH); i += 1)
      socket.send(spoofed(random, i, main, HOST), t.sip.port, HOST);
    await sleep((BATCH / PER_SECOND) * 1000);
    setTimeout(() => socket.close(), LAST_ANSWERS_MS);
  }
  await sleep(LAST_ANSWERS_MS);
  const statuses = new Map<number, number>();
  for (const status of answered.values()) statuses.set(status, (statuses.get(status) ?? 0) + 1);
  const created = (await callsNow()) - before;
  const wrong = ringing.map((what) => `a spoofed INVITE got ${what}`);
  if (created > 0) wrong.push(`${created} spoofed INVITEs became calls`);
  if (answered.size < invites * LEAST_ANSWERED)
    wrong.push(`only ${answered.size} of ${invites} were answered`);
  return { answered: answered.size, statuses, wrong };
}
