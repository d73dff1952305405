/** How the gateway handles messages that match no dialog or transaction. */
import { once } from 'node:events';
import net from 'node:net';
import { describe, expect, it } from 'vitest';
import { STRANGER_IDLE_TIMEOUT_MS } from '../src/transport/stream.ts';
import { SDP, toTagOf, valueOf } from './gateway-fixture.ts';
import { app, phone, hangUp, inboundCall, outboundCall, fixture, useCallFixture } from './call-fixture.ts';

/** The burst that one address may send. */
const BURST = 40;

useCallFixture({ flood: { ratePerSecond: 10, burst: BURST, unlimited: new Set() } });

/** In-dialog requests, each of a different unknown call. */
const claims = [
  [
    'an INVITE with a To tag',
    (n: number) => phone.request('INVITE', { call: `x${n}`, toTag: 'made-up', body: SDP }),
  ],
  ['a BYE', (n: number) => phone.request('BYE', { call: `x${n}`, toTag: 'made-up' })],
  ['an UPDATE', (n: number) => phone.request('UPDATE', { call: `x${n}`, toTag: 'made-up' })],
  ['a CANCEL', (n: number) => phone.request('CANCEL', { call: `x${n}` })],
] as const;

describe.each(claims)('%s that matches nothing', (_, claim) => {
  it('gets one 481, no longer than the request, and nothing is stored', async () => {
    const before = fixture.gateway.load;
    for (let n = 0; n < 20; n++) await claim(n);
    expect(fixture.gateway.load).toEqual(before);
    await fixture.pass(64_000);
    const answers = phone.inbox.rest;
    expect(answers).toHaveLength(20);
    expect(answers.every((text) => text.startsWith('SIP/2.0 481 '))).toBe(true);
    const received = answers.reduce((total, text) => total + text.length, 0);
    expect(received).toBeLessThan(phone.sentBytes);
    expect(app.inbox.rest).toEqual([]);
  });

  it('is counted by the flood guard and dropped above the limit', async () => {
    for (let n = 0; n < BURST + 60; n++) await claim(n);
    expect(phone.inbox.rest).toHaveLength(BURST);
    expect(fixture.gateway.counters.flooded).toBe(60);
  });
});

describe('the flood guard', () => {
  it('counts unmatched ACKs and responses, and responds to none', async () => {
    for (let n = 0; n < BURST; n++) await phone.request('ACK', { call: `x${n}`, toTag: 'made-up' });
    expect(fixture.gateway.counters.flooded).toBe(0);
    const made =
      'INVITE sip:x SIP/2.0\r\nVia: SIP/2.0/UDP h;branch=z9hG4bKx\r\nFrom: <sip:a@b>;tag=t\r\nTo: <sip:c@d>\r\nCall-ID: x\r\nCSeq: 1 INVITE\r\n\r\n';
    for (let n = 0; n < 10; n++) await phone.answer(made, 200);
    expect(fixture.gateway.counters.flooded).toBe(10);
    expect(phone.inbox.rest).toEqual([]);
  });

  it('never drops messages of established calls', async () => {
    const inbound = await inboundCall();
    const outbound = await outboundCall();
    for (let n = 0; n < BURST + 10; n++) await phone.request('BYE', { call: `x${n}`, toTag: 'made-up' });
    expect(fixture.gateway.counters.flooded).toBeGreaterThan(0);
    await phone.request('INFO', { call: 'in', cseq: 2, toTag: inbound.toTag });
    const info = await app.notified('INFO sip:');
    await app.sip(info.txn, '', 'SIP/2.0 200 OK\r\n\r\n');
    await phone.inbox.take('2 INFO');
    await phone.answer(outbound.invite, 200, { body: SDP });
    await phone.inbox.take('ACK sip:');
    await hangUp(inbound.dialog);
    await hangUp(outbound.dialog);
  });

  it('lets the CANCEL of a ringing call pass', async () => {
    await phone.request('INVITE', { call: 'ringing', body: SDP, branch: 'z9hG4bKr' });
    await app.notified('Call-ID: ringing');
    for (let n = 0; n < BURST + 10; n++) await phone.request('CANCEL', { call: `x${n}` });
    await phone.request('CANCEL', { call: 'ringing', branch: 'z9hG4bKr' });
    await phone.inbox.take('SIP/2.0 200');
    const refused = await phone.inbox.take('SIP/2.0 487');
    await app.notified('CANCEL sip:');
    await phone.request('ACK', { call: 'ringing', branch: 'z9hG4bKr', toTag: toTagOf(refused) });
  });
});

describe('an idle TCP connection', () => {
  /** A connection that has sent a message. */
  async function connected(): Promise<net.Socket> {
    const socket = net.connect({ host: '127.0.0.1', port: fixture.gateway.sipPort });
    await once(socket, 'connect');
    socket.write(
      'BYE sip:a SIP/2.0\r\nVia: SIP/2.0/TCP h;branch=z9hG4bKs\r\nFrom: <sip:a@b>;tag=f\r\nTo: <sip:c@d>;tag=t\r\n' +
        `Call-ID: none\r\nCSeq: 1 BYE\r\nSubject: ${'longer than the response '.repeat(9)}\r\n\r\n`,
    );
    const [response] = (await once(socket, 'data')) as [Buffer];
    expect(response.toString()).toMatch(/^SIP\/2.0 481 /);
    return socket;
  }

  it('of a stranger is closed, and that of an address with an accepted call is not', async () => {
    const strange = await connected();
    const closed = once(strange, 'close');
    await fixture.pass(STRANGER_IDLE_TIMEOUT_MS);
    await closed;
    await hangUp((await inboundCall()).dialog);
    const known = await connected();
    await fixture.pass(2 * STRANGER_IDLE_TIMEOUT_MS);
    expect(known.closed).toBe(false);
    known.destroy();
  });
});

describe('a stateless 481', () => {
  it('is not sent if it would be longer than the request', async () => {
    const short = (method: string, to: string) =>
      `${method} sip:a SIP/2.0\r\nv:SIP/2.0/UDP h;branch=z9hG4bKs\r\nf:<sip:a>;tag=f\r\nt:<sip:b>${to}\r\ni:short\r\nCSeq:1 ${method}\r\n\r\n`;
    await phone.send(short('BYE', ';tag=t'));
    await phone.send(short('CANCEL', ''));
    expect(phone.inbox.rest).toEqual([]);
  });

  it('has the same To tag for a repeated CANCEL', async () => {
    await phone.request('CANCEL', { call: 'none' });
    const first = await phone.inbox.take('SIP/2.0 481');
    await phone.request('CANCEL', { call: 'none' });
    expect(valueOf(await phone.inbox.take('SIP/2.0 481'), 'To')).toBe(valueOf(first, 'To'));
    expect(toTagOf(first)).not.toBe('');
  });
});
