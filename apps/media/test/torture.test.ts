/**
 * The 49 messages of RFC 4475 at a media node behind the gateway, over UDP and TCP: each is answered or dropped as the RFC allows, and the
 * next call is unaffected.
 */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import { SipPhone } from '@clarion/test-phone/sip/phone';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TORTURE, type Torture } from '../../../packages/sip-gateway/test/torture/messages.ts';
import { acceptance, eventually } from './support/fake-realtime.ts';
import { MediaFixture } from './support/media-fixture.ts';

/** Responses go to the port in Via (RFC 3261 §18.2.2): the default one, and those of some messages. */
const VIA_PORTS = [5060, 5050, 5070];
/** An address of our own, so that these ports are free. */
const PEER = `127.44.${process.pid % 250}.75`;
const NUMBER = '4930123';

let fixture: MediaFixture;
let phone: SipPhone;
let peers: Socket[];
const received: string[] = [];

beforeAll(async () => {
  fixture = await MediaFixture.start();
  phone = await SipPhone.open();
  peers = await Promise.all(VIA_PORTS.map(bound));
  fixture.realtime.decide = ({ requestUser }) =>
    requestUser === NUMBER
      ? acceptance(fixture.callId())
      : { action: 'reject', status: 404, reason: 'Not Found' };
});
afterAll(async () => {
  phone.close();
  for (const peer of peers) peer.close();
  await fixture.close();
});

async function bound(port: number): Promise<Socket> {
  const socket = createSocket('udp4', (message) => received.push(message.toString('latin1')));
  socket.bind(port, PEER);
  await once(socket, 'listening');
  return socket;
}

const statusOf = (response: string): number => Number(/^SIP\/2.0 (\d{3})/.exec(response)?.[1] ?? 0);

/** A call that rings and is cancelled. Everything sent before it has been processed then. */
async function nextCall(): Promise<void> {
  const call = await phone.call(NUMBER, fixture.sip);
  await call.rings();
  await call.hangUp();
  await call.ended();
}

const callIdOf = (text: string): string | undefined => /^(?:Call-ID|i)[ \t]*:\s*(\S+)/im.exec(text)?.[1];
const earlierCallIds = new Set<string>();

/**
 * Final responses over UDP. 100 is no answer, and a response to an INVITE that is not acknowledged is repeated during later messages
 * (timer G).
 */
async function overUdp({ text }: Torture): Promise<number[]> {
  received.length = 0;
  const own = callIdOf(text);
  peers[0]?.send(Buffer.from(text, 'latin1'), fixture.sip.port, fixture.sip.host);
  await nextCall();
  const responses = received.filter((response) => {
    const callId = callIdOf(response);
    const repeated = callId !== undefined && callId !== own && earlierCallIds.has(callId);
    return !(repeated && /^CSeq:.*INVITE/im.test(response));
  });
  if (own !== undefined) earlierCallIds.add(own);
  return [...new Set(responses.map(statusOf))].filter((status) => status >= 200);
}

async function overTcp({ text }: Torture): Promise<number[]> {
  const socket = connect({ ...fixture.sip, localAddress: PEER });
  let answer = '';
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => (answer += chunk.toString('latin1')));
  await once(socket, 'connect');
  // Another transaction than over UDP.
  socket.write(
    text.replaceAll(/^(Call-ID|i)( *: *)/gim, '$1$2tcp-').replaceAll('z9hG4bK', 'z9hG4bKtcp'),
    'latin1',
  );
  await nextCall();
  socket.destroy();
  return [...new Set([...answer.matchAll(/^SIP\/2.0 (\d{3})/gm)].map(([, code]) => Number(code)))].filter(
    (status) => status >= 200,
  );
}

/**
 * What the RFC allows as the final responses of a user agent without registrar, with no line for the called user: 404 instead of accepting an
 * INVITE, 503 for methods that no application serves. Empty: dropped.
 */
const ALLOWED: Record<string, readonly number[]> = {
  wsinv: [481], // its To has a tag, and there is no such dialog
  intmeth: [405, 501],
  esc01: [404],
  escnull: [405, 503],
  esc02: [405, 501],
  lwsdisp: [200],
  longreq: [404],
  dblreq: [405, 503],
  semiuri: [200],
  transports: [200],
  mpart01: [405, 503],
  unreason: [],
  noreason: [],
  badinv01: [],
  clerr: [400],
  ncl: [400],
  scalar02: [400],
  scalarlg: [],
  quotbal: [400],
  ltgtruri: [400],
  lwsruri: [400],
  lwsstart: [400],
  trws: [400],
  escruri: [400, 404],
  baddate: [400, 404],
  regbadct: [400],
  badaspec: [200, 400],
  baddn: [200, 400],
  badvers: [505],
  mismatch01: [400],
  mismatch02: [400, 501],
  bigcode: [],
  badbranch: [200],
  insuf: [], // without Call-ID and From no response is possible
  unkscm: [416],
  novelsc: [416],
  unksm2: [400, 405, 503],
  bext01: [420],
  invut: [415],
  regaut01: [401, 405, 503],
  multi01: [400],
  mcl01: [400],
  bcast: [],
  zeromf: [200, 483],
  cparam01: [405, 503],
  cparam02: [405, 503],
  regescrt: [405, 503],
  sdp01: [404, 406],
  inv2543: [400], // RFC 3261 requires Contact
};
/** The framing of a stream breaks: the connection is closed, or waits for the rest of the message. */
const UNFRAMED = new Set(['clerr', 'ncl', 'mcl01', 'inv2543']);

const nameOf = ({ name }: Torture): string => name.split(':')[0] ?? '';

test('all 49 messages of the RFC are there', () => {
  expect(TORTURE.map(nameOf).toSorted()).toEqual(Object.keys(ALLOWED).toSorted());
  expect(new Set(TORTURE.map(({ section }) => section)).size).toBe(49);
});

test.each(TORTURE.map((message) => [message.section, nameOf(message), message] as const))(
  '%s %s is answered as the RFC allows, and the next call rings',
  async (_, name, message) => {
    const allowed = ALLOWED[name] ?? [];
    const one = allowed.length === 0 ? [] : [expect.toBeOneOf(allowed)];
    expect(await overUdp(message)).toEqual(one);
    const tcp = await overTcp(message);
    if (UNFRAMED.has(name)) expect([...allowed, 400, 0]).toContain(tcp[0] ?? 0);
    else expect(tcp).toEqual(one);
    await eventually('no leg is left', () => fixture.media.calls.legCount === 0);
  },
);
