import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { RtpPort } from '@clarion/test-phone/rtp/port';
import { Writable } from 'node:stream';
import pino from 'pino';
import { MAX_EARLY_DIALOGS } from '../src/sip/early-dialogs.ts';
import { MediaFixture } from './support/media-fixture.ts';
import { eventually } from './support/fake-realtime.ts';
import { bodyOf, headerOf, sdp, versionOf } from './support/raw-carrier.ts';
import { dialling, legOf } from './support/raw-calls.ts';

let fixture: MediaFixture;
let logged = '';
let call: Awaited<ReturnType<typeof dialling>>;
const ports: RtpPort[] = [];

beforeAll(async () => {
  const stream = new Writable({
    write: (chunk: Buffer, _, done) => {
      logged += chunk.toString();
      done();
    },
  });
  fixture = await MediaFixture.start({}, [], {}, pino({ level: 'warn' }, stream));
});
afterEach(async () => {
  await call.close();
  for (const port of ports.splice(0)) port.close();
});
afterAll(() => fixture.close());

async function otherPort(): Promise<RtpPort> {
  const port = await RtpPort.open({ law: 'PCMA' });
  ports.push(port);
  return port;
}

const portOf = () => legOf(fixture, call.callId, call.legId).session?.remote.port;

describe('an INVITE to a carrier', () => {
  test('has an Allow header, and offers reliable provisional responses and a session timer', async () => {
    call = await dialling(fixture);
    expect(headerOf(call.first, 'Allow')).toBe('INVITE, ACK, CANCEL, BYE, OPTIONS, INFO, PRACK, UPDATE');
    expect(headerOf(call.first, 'Supported')).toBe('100rel, timer');
    expect(headerOf(call.first, 'Session-Expires')).toBe('1800;refresher=uas');
    expect(headerOf(call.first, 'Min-SE')).toBe('90');
  });

  test('that is rejected with 422 is retried once with the interval that the carrier demands', async () => {
    call = await dialling(fixture);
    const { carrier, first, legId } = call;
    carrier.answer(first, 422, { headers: ['Min-SE: 3600'] });
    const second = await carrier.receive('INVITE ');
    expect(headerOf(second, 'Session-Expires')).toBe('3600;refresher=uas');
    expect(headerOf(second, 'Min-SE')).toBe('3600');
    expect(headerOf(second, 'Call-ID')).toBe(headerOf(first, 'Call-ID'));
    expect(headerOf(second, 'From')).toBe(headerOf(first, 'From'));
    expect(Number.parseInt(headerOf(second, 'CSeq'), 10)).toBe(
      Number.parseInt(headerOf(first, 'CSeq'), 10) + 1,
    );
    carrier.answer(second, 422, { headers: ['Min-SE: 7200'] });
    const { end } = await fixture.realtime.fact('leg:ended', legId);
    expect(end).toMatchObject({ cause: 'rejected', sipStatus: 422 });
  });

  test('whose reliable 183 has the SDP answer needs none in the 200', async () => {
    call = await dialling(fixture);
    const { carrier, first, audio, legId } = call;
    carrier.answer(first, 183, { headers: ['Require: 100rel', 'RSeq: 9'], body: sdp(audio.port) });
    const prack = await carrier.receive('PRACK ');
    expect(headerOf(prack, 'RAck')).toBe(`9 ${headerOf(first, 'CSeq')}`);
    carrier.answer(prack, 200);
    carrier.answer(first, 200);
    await carrier.receive('ACK ');
    await fixture.realtime.fact('leg:connected', legId);
    expect(portOf()).toBe(audio.port);
  });

  test('can be updated before the answer, and keeps the updated description', async () => {
    call = await dialling(fixture);
    const { carrier, first, audio, legId } = call;
    carrier.answer(first, 180);
    await fixture.realtime.fact('leg:ringing', legId);
    expect(await carrier.request('UPDATE', { body: sdp(audio.port) })).toContain('SIP/2.0 491');
    const empty = await carrier.request('UPDATE');
    expect(empty).toContain('SIP/2.0 200');
    expect(bodyOf(empty)).toBe('');

    carrier.answer(first, 183, { headers: ['Require: 100rel', 'RSeq: 1'], body: sdp(audio.port) });
    carrier.answer(await carrier.receive('PRACK '), 200);
    const moved = await otherPort();
    const reply = await carrier.request('UPDATE', { body: sdp(moved.port, { version: 2 }) });
    expect(reply).toContain('SIP/2.0 200');
    expect(versionOf(reply)).toBe(versionOf(first) + 1);
    expect(portOf()).toBe(moved.port);
    carrier.answer(first, 200);
    await carrier.receive('ACK ');
    await fixture.realtime.fact('leg:connected', legId);
    expect(portOf()).toBe(moved.port);
    const later = await carrier.request('INVITE');
    expect(versionOf(later)).toBe(versionOf(reply) + 1);
    carrier.send('ACK');
  });

  test('that is forked uses the description of the fork that answers', async () => {
    call = await dialling(fixture);
    const { carrier, first, audio, legId } = call;
    const second = await otherPort();
    carrier.answer(first, 183, { tag: 'one', body: sdp(audio.port) });
    carrier.answer(first, 183, { tag: 'two', body: sdp(second.port) });
    await eventually('the second fork is heard', () => portOf() === second.port);
    // Repeated provisional responses of the first fork do not switch early media back.
    carrier.answer(first, 183, { tag: 'one', body: sdp(audio.port) });
    carrier.answer(first, 180, { tag: 'two' });
    carrier.join(first, 'two');
    // Messages are handled in order: the response to the next request shows that these responses have been processed.
    expect(await carrier.request('UPDATE')).toContain('SIP/2.0 200');
    expect(portOf()).toBe(second.port);
    carrier.answer(first, 200, { tag: 'one' });
    await carrier.receive('ACK ');
    await fixture.realtime.fact('leg:connected', legId);
    expect(portOf()).toBe(audio.port);

    carrier.answer(first, 200, { tag: 'two', body: sdp(second.port) });
    const bye = await carrier.receive('BYE ');
    expect(headerOf(bye, 'To')).toContain('tag=two');
    carrier.answer(bye, 200);
    expect(fixture.realtime.count('leg:ended', legId)).toBe(0);
    expect(portOf()).toBe(audio.port);
    carrier.join(first, 'one');
    expect(await carrier.request('OPTIONS')).toContain('SIP/2.0 200');
  });

  test('with too many forks can be answered by a fork whose early media was ignored', async () => {
    call = await dialling(fixture);
    const { carrier, first, audio, legId } = call;
    for (let fork = 0; fork < MAX_EARLY_DIALOGS + 4; fork++) {
      carrier.answer(first, 183, { tag: `fork-${fork}`, body: sdp(9_002 + 2 * fork) });
    }
    const lastHeard = 9_002 + 2 * (MAX_EARLY_DIALOGS - 1);
    const ignored = () => logged.split('ignoring early media of further forks').length - 1;
    await eventually('the last tracked fork is heard', () => portOf() === lastHeard && ignored() > 0);
    const tag = `fork-${MAX_EARLY_DIALOGS + 3}`;
    carrier.answer(first, 200, { tag, body: sdp(audio.port) });
    expect(headerOf(await carrier.receive('ACK '), 'To')).toContain(`tag=${tag}`);
    await fixture.realtime.fact('leg:connected', legId);
    expect(portOf()).toBe(audio.port);
    expect(ignored()).toBe(1);
    carrier.join(first, tag);
    expect(await carrier.request('OPTIONS')).toContain('SIP/2.0 200');
  });

  test('that is answered while we cancel it is acknowledged and ended', async () => {
    call = await dialling(fixture);
    const { carrier, first, audio, callId, legId } = call;
    carrier.answer(first, 180);
    await fixture.realtime.fact('leg:ringing', legId);
    await fixture.realtime.command('leg:hangup', { callId, legId });
    const cancel = await carrier.receive('CANCEL ');
    carrier.answer(first, 200, { body: sdp(audio.port) });
    carrier.answer(cancel, 200);
    await carrier.receive('ACK ');
    carrier.answer(await carrier.receive('BYE '), 200);
    expect((await fixture.realtime.fact('leg:ended', legId)).end.cause).toBe('local');
    expect(fixture.realtime.count('leg:connected', legId)).toBe(0);
  });
});
