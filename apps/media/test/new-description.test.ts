/**
 * A remote party that moves its audio: packets from the previous source are in flight when the new session description
 * arrives.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { RtpPort } from '@clarion/test-phone/rtp/port';
import { MediaFixture } from './support/media-fixture.ts';
import { bridgedCall, ENDPOINTS, containsTone, type Bridged, type BridgedOptions } from './support/calls.ts';
import { dialled, type Dialled } from './support/dialled.ts';
import { eventually } from './support/fake-realtime.ts';

/** Packets that the old source still sends, as with a jitter buffer or a slow path: 120 ms. */
const PACKETS_IN_FLIGHT = 6;

let fixture: MediaFixture;
let open: Bridged | Dialled | null = null;
const ports: RtpPort[] = [];

beforeAll(async () => {
  fixture = await MediaFixture.start();
});
afterEach(async () => {
  for (const port of ports.splice(0)) port.close();
  await open?.close();
  open = null;
});
afterAll(() => fixture.close());

async function bridge(options: BridgedOptions = {}): Promise<Bridged> {
  const bridged = await bridgedCall(fixture, options);
  open = bridged;
  return bridged;
}

async function openPort(address = '127.0.0.1'): Promise<RtpPort> {
  const port = await RtpPort.open({ address, law: 'PCMA' });
  ports.push(port);
  return port;
}

const sdpOf = ({ address, port }: { address: string; port: number }): string =>
  [
    'v=0',
    `o=phone 1 ${Date.now()} IN IP4 ${address}`,
    's=-',
    `c=IN IP4 ${address}`,
    't=0 0',
    `m=audio ${port} RTP/AVP 8 101`,
    'a=rtpmap:101 telephone-event/8000',
    '',
  ].join('\r\n');

/** Resolves when the packets in flight have been sent. */
async function waitForPacketsInFlight(old: RtpPort): Promise<void> {
  const sent = old.sent + PACKETS_IN_FLIGHT;
  await eventually('the last packets of the old source are sent', () => old.sent >= sent);
}

/** Announces `as`; `next` starts sending once the old source has stopped. */
async function move(
  call: Bridged,
  next: RtpPort,
  as = { address: next.address, port: next.port },
): Promise<void> {
  const { call: sip, leg } = call;
  next.remote = { address: '127.0.0.1', port: leg.port };
  expect((await sip.reinvite('sendrecv', sdpOf(as))).status).toBe(200);
  await waitForPacketsInFlight(sip.audio);
  sip.audio.silence();
  next.sendTone(700);
}

describe.each(ENDPOINTS)('a re-INVITE on a leg that is %s', (_name, localEndpointOnly) => {
  test('to a new port: the new source is used in both directions, although packets of the old one were in flight', async () => {
    const call = await bridge({ localEndpointOnly });
    const next = await openPort();
    await move(call, next);
    await eventually('the new source is heard', () => containsTone(call.agent.heard, 'PCMA', 700));
    await eventually('audio is sent to the new source', () => containsTone(next.heard, 'PCMA', 1_000));
    if (!localEndpointOnly) await eventually('it is handed over again', () => call.leg.handedOverTo !== null);
    const sent = call.call.audio.heard.length;
    const heard = next.heard.length;
    await eventually('half a second has passed', () => next.heard.length > heard + 25);
    expect(call.call.audio.heard.length).toBe(sent);
  });

  test('to a new address with the same port: the new source is used in both directions', async () => {
    const call = await bridge({ localEndpointOnly, sourceCidrs: ['127.0.0.0/8'] });
    const next = await RtpPort.open({ address: '127.0.0.2', port: call.call.audio.port, law: 'PCMA' });
    ports.push(next);
    await move(call, next);
    await eventually('the new source is heard', () => containsTone(call.agent.heard, 'PCMA', 700));
    await eventually('audio is sent to the new source', () => containsTone(next.heard, 'PCMA', 1_000));
  });

  test('from a remote party behind NAT, which sends from another address: that source is learned', async () => {
    const call = await bridge({ localEndpointOnly, sourceCidrs: ['127.0.0.0/8'] });
    const next = await openPort('127.0.0.3');
    const announced = await openPort('127.0.0.2');
    await move(call, next, { address: announced.address, port: announced.port });
    await eventually('the new source is heard', () => containsTone(call.agent.heard, 'PCMA', 700));
    await eventually('audio is sent to the new source', () => containsTone(next.heard, 'PCMA', 1_000));
  });
});

test('until the new source is learned, audio is sent to the announced address', async () => {
  const call = await bridge({ localEndpointOnly: true });
  const next = await openPort();
  expect((await call.call.reinvite('sendrecv', sdpOf(next))).status).toBe(200);
  await eventually('audio is sent to the announced address', () => containsTone(next.heard, 'PCMA', 1_000));
  const old = call.call.audio.heard.length;
  const heard = next.heard.length;
  await eventually('half a second has passed', () => next.heard.length > heard + 25);
  expect(call.call.audio.heard.length).toBe(old);
});

test('a repeated session description, as in a session refresh, changes nothing', async () => {
  const call = await bridge();
  const { leg, agent } = call;
  const moves = Number((await leg.stats())['moves']);
  expect((await call.call.reinvite()).status).toBe(200);
  const heard = agent.heard.length;
  await eventually('half a second is heard', () => agent.heard.length > heard + 25);
  expect(containsTone(agent.heard, 'PCMA', 440)).toBe(true);
  expect(Number((await leg.stats())['moves'])).toBe(moves);
});

test('an answer whose SDP differs from that of the 183 moves the audio to its source', async () => {
  const dial = await dialled(fixture, ['127.0.0.0/8']);
  open = dial;
  const { agent, call } = dial;
  dial.respond(183, call.sdp());
  call.audio.sendTone(500);
  await eventually('early media is heard', () => containsTone(agent.heard, 'PCMA', 500));

  const next = await openPort();
  next.remote = call.audio.remote;
  await dial.bridge();
  dial.respond(200, sdpOf(next));
  await fixture.realtime.fact('leg:connected', dial.legId);
  await waitForPacketsInFlight(call.audio);
  call.audio.silence();
  agent.sendTone(1_000);
  next.sendTone(700);
  await eventually('the new source is heard', () => containsTone(agent.heard, 'PCMA', 700));
  await eventually('audio is sent to the new source', () => containsTone(next.heard, 'PCMA', 1_000));
});
