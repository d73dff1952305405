/** What the gateway does on its own while a call is set up. */
import net from 'node:net';
import { describe, expect, it } from 'vitest';
import { MAX_FORKS } from '../src/dialog/dialog.ts';
import type { Resolver } from '../src/transport/locate.ts';
import { SDP, rounds, toTagOf, valueOf } from './gateway-fixture.ts';
import { app, dial, phone, hangUp, outboundCall, fixture, useCallFixture } from './call-fixture.ts';

/** Resolves the slow name of the resolver below. */
let answerSlowly: () => void = () => undefined;
/** The second destination of service.example, which works. */
let servicePort = 0;

const resolver: Resolver = {
  srv: async () => [
    { name: 'phone.example', port: 9, priority: 1, weight: 1 },
    { name: 'phone.example', port: servicePort, priority: 2, weight: 1 },
  ],
  addresses: async (name) => {
    if (name === 'slow.example') await new Promise<void>((resolve) => (answerSlowly = resolve));
    if (name === 'nowhere.example') throw new Error('ENOTFOUND');
    return ['127.0.0.1'];
  },
};

useCallFixture({ resolver });

describe('an INVITE of the app', () => {
  it('that rings for too long is cancelled and gets a final response, with or without one from the network (timer C)', async () => {
    const { invite, txn } = await dial();
    await phone.answer(invite, 180);
    await app.notified('SIP/2.0 180');
    await fixture.pass(179_000);
    expect(phone.inbox.rest).toEqual([]);
    await fixture.pass(1_000);
    await phone.inbox.take('CANCEL sip:');
    await fixture.pass(32_000);
    const final = await app.notified('SIP/2.0 408');
    expect(final.txn).toBe(txn);
    expect(final.fields.slice(2, 7)).toEqual(['network', '0', 'udp', '', '0']);
  });

  it('that is cancelled ends with a 487 even if the CANCEL gets no response', async () => {
    const { invite, txn } = await dial();
    await phone.answer(invite, 180);
    await app.notified('SIP/2.0 180');
    expect((await app.sip(txn, '', `CANCEL sip:bob@127.0.0.1:${phone.port} SIP/2.0\r\n\r\n`)).result).toBe(
      'OK',
    );
    await fixture.pass(32_000);
    expect((await app.notified('SIP/2.0 487')).txn).toBe(txn);
    expect(fixture.gateway.load.outbound).toBe(0);
  });

  it('whose 200 arrives after that local 487 is acknowledged and ended', async () => {
    const { invite, txn } = await dial();
    await phone.answer(invite, 180);
    await app.notified('SIP/2.0 180');
    await app.sip(txn, '', `CANCEL sip:bob@127.0.0.1:${phone.port} SIP/2.0\r\n\r\n`);
    await fixture.pass(32_500);
    await app.notified('SIP/2.0 487');
    await phone.answer(invite, 200, { body: SDP });
    await phone.inbox.take('ACK sip:phone@');
    await phone.answer(await phone.inbox.take('BYE sip:phone@'), 200);
    await rounds();
    expect(app.inbox.rest).toEqual([]);
  });

  it('that is cancelled before any response sends the CANCEL with the first one', async () => {
    const { invite, txn } = await dial();
    const reply = await app.sip(
      txn,
      '',
      `CANCEL sip:bob@127.0.0.1:${phone.port} SIP/2.0\r\nReason: x\r\n\r\n`,
    );
    expect(reply.fields.slice(3, 6)).toEqual(['OK', 'application', '0']);
    expect(phone.inbox.rest).toEqual([]);
    await phone.answer(invite, 100, { toTag: '' });
    const cancel = await phone.inbox.take('CANCEL sip:');
    expect(valueOf(cancel, 'Via')).toBe(valueOf(invite, 'Via'));
    expect(valueOf(cancel, 'Reason')).toBe('x');
    await phone.answer(cancel, 200);
    await phone.answer(invite, 487);
    await app.notified('SIP/2.0 487');
    await phone.inbox.take('ACK sip:bob');
  });

  it('that two forks answer keeps the first and ends the second', async () => {
    const { invite, dialog } = await dial();
    await phone.answer(invite, 180, { toTag: 'one' });
    await phone.answer(invite, 180, { toTag: 'two' });
    await phone.answer(invite, 200, { toTag: 'one', body: SDP });
    await app.notified('SIP/2.0 200');
    await app.sip('', dialog, 'ACK sip:placeholder SIP/2.0\r\n\r\n');
    await phone.inbox.take('ACK sip:');
    await phone.answer(invite, 200, { toTag: 'two', body: SDP });
    const ack = await phone.inbox.take('ACK sip:');
    const bye = await phone.inbox.take('BYE sip:');
    expect(toTagOf(ack)).toBe('two');
    expect(toTagOf(bye)).toBe('two');
    await phone.answer(bye, 200);
    await phone.answer(invite, 200, { toTag: 'two', body: SDP });
    expect(await phone.inbox.take('ACK sip:')).toBe(ack);
    await hangUp(dialog);
  });

  it('with too many forks can be answered by a fork whose provisional responses were ignored', async () => {
    const { invite, dialog } = await dial();
    for (let fork = 0; fork < MAX_FORKS + 2; fork++) {
      await phone.answer(invite, 180, { toTag: `fork-${fork}-` });
    }
    await app.notified(`tag=fork-${MAX_FORKS - 1}-`);
    expect(app.inbox.rest.filter((shown) => shown.includes(`tag=fork-${MAX_FORKS}-`))).toEqual([]);
    const toTag = `fork-${MAX_FORKS + 1}-`;
    await phone.answer(invite, 200, { toTag, body: SDP });
    await app.notified('SIP/2.0 200');
    await app.sip('', dialog, 'ACK sip:placeholder SIP/2.0\r\n\r\n');
    expect(toTagOf(await phone.inbox.take('ACK sip:'))).toBe(toTag);
    await hangUp(dialog);
  });

  it('that more forks answer than are tracked ends as many of them', async () => {
    const { dialog, invite } = await outboundCall();
    for (let fork = 0; fork < MAX_FORKS + 2; fork++) {
      await phone.answer(invite, 200, { toTag: `late-${fork}`, body: SDP });
    }
    const ended = phone.inbox.rest.filter((sent) => sent.startsWith('BYE sip:'));
    expect(ended).toHaveLength(MAX_FORKS);
    for (const bye of ended) await phone.answer(bye, 200);
    for (const _ of ended) await phone.inbox.take('BYE sip:');
    await hangUp(dialog);
  });

  it('with reliable responses from two forks sends each PRACK to its own fork', async () => {
    const { invite, dialog } = await dial(['Supported: 100rel']);
    const other = await fixture.remotePhone();
    const reliable = { extra: ['Require: 100rel', 'RSeq: 1'], body: SDP };
    await phone.answer(invite, 183, { ...reliable, toTag: 'one' });
    const contact = `<sip:phone@127.0.0.1:${other.port}>`;
    await phone.answer(invite, 183, { ...reliable, toTag: 'two', contact });
    await app.notified('tag=one');
    await app.notified('tag=two');
    for (const [end, tag] of [
      [phone, 'one'],
      [other, 'two'],
    ] as const) {
      const rack = `RAck: 1 ${valueOf(invite, 'CSeq')}`;
      await app.sip('', dialog, `PRACK sip:placeholder SIP/2.0\r\n${rack}\r\n\r\n`);
      const prack = await end.inbox.take('PRACK sip:phone');
      expect(toTagOf(prack)).toBe(tag);
      await end.answer(prack, 200);
      await app.notified('SIP/2.0 200');
    }
    await phone.answer(invite, 200, { toTag: 'one' });
    await app.notified('SIP/2.0 200');
    await app.sip('', dialog, 'ACK sip:placeholder SIP/2.0\r\n\r\n');
    expect(toTagOf(await phone.inbox.take('ACK sip:phone'))).toBe('one');
    await hangUp(dialog);
  });

  it('gets its stored ACK again for every repeated 200', async () => {
    const { invite, dialog } = await outboundCall();
    await phone.answer(invite, 200, { body: SDP });
    await phone.inbox.take('ACK sip:');
    await hangUp(dialog);
  });

  it('to a closed UDP port fails long before 32 s', async () => {
    const silent = await fixture.remotePhone();
    const { port } = silent;
    silent.close();
    await app.sip('', '', `INVITE sip:bob@127.0.0.1:${port} SIP/2.0\r\n\r\n${SDP}`);
    await fixture.pass(600);
    await app.notified('SIP/2.0 503');
  });

  it('to a closed TCP port gets a 503', async () => {
    await app.sip('', '', `INVITE sip:bob@127.0.0.1:9;transport=tcp SIP/2.0\r\n\r\n${SDP}`);
    await app.notified('SIP/2.0 503');
  });

  it('passes each reliable provisional response once and lets the app send PRACK', async () => {
    const { invite, dialog } = await dial();
    const reliable = { extra: ['Require: 100rel', 'RSeq: 77'], body: SDP };
    await phone.answer(invite, 183, reliable);
    await app.notified('SIP/2.0 183');
    await phone.answer(invite, 183, reliable);
    await rounds();
    expect(app.inbox.rest).toEqual([]);
    await app.sip('', dialog, `PRACK sip:placeholder SIP/2.0\r\nRAck: 77 ${valueOf(invite, 'CSeq')}\r\n\r\n`);
    const prack = await phone.inbox.take('PRACK sip:');
    expect(toTagOf(prack)).toBe('phone');
    await phone.answer(prack, 200);
    await app.notified('PRACK\r\n');
    await phone.answer(invite, 200, { body: SDP });
    await app.notified('SIP/2.0 200');
    await app.sip('', dialog, 'ACK sip:placeholder SIP/2.0\r\n\r\n');
    await phone.inbox.take('ACK sip:');
    await hangUp(dialog);
  });
});

describe('an INVITE of the app to a host name', () => {
  it('is sent after the DNS lookup, or ends with 503 if the name does not exist', async () => {
    await app.sip('', '', `INVITE sip:bob@nowhere.example:5060 SIP/2.0\r\n\r\n${SDP}`);
    await app.notified('SIP/2.0 503');
    const reply = await app.sip('', '', `INVITE sip:bob@phone.example:${phone.port} SIP/2.0\r\n\r\n${SDP}`);
    expect(reply.fields.slice(5, 7)).toEqual(['0', 'unknown']);
    await phone.answer(await phone.inbox.take('INVITE sip:bob@phone.example'), 486);
    await app.notified('SIP/2.0 486');
    await phone.inbox.take('ACK sip:bob');
  });

  it('that is cancelled before is never sent', async () => {
    const reply = await app.sip('', '', `INVITE sip:bob@slow.example:${phone.port} SIP/2.0\r\n\r\n${SDP}`);
    await app.sip(reply.txn, '', 'CANCEL sip:bob@slow.example SIP/2.0\r\n\r\n');
    answerSlowly();
    await app.notified('SIP/2.0 487');
    expect(phone.inbox.rest).toEqual([]);
  });

  it('tries the next address if the first refuses the connection (RFC 3263 §4.3)', async () => {
    const server = net.createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (data) => {
        const text = data.toString('latin1');
        if (!text.startsWith('INVITE')) return;
        const copied = text.split('\r\n').filter((line) => /^(Via|From|To|Call-ID|CSeq):/.test(line));
        socket.write(['SIP/2.0 486 Busy', ...copied, 'Content-Length: 0', '', ''].join('\r\n'));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    servicePort = typeof address === 'object' && address !== null ? address.port : 0;
    await app.sip('', '', `INVITE sip:bob@service.example;transport=tcp SIP/2.0\r\n\r\n${SDP}`);
    await app.notified('SIP/2.0 486');
    server.close();
  });
});

describe('an INVITE from the network', () => {
  it('that the app does not respond to is rejected after 64 s', async () => {
    await phone.request('INVITE', { body: SDP });
    const { txn } = await app.notified('INVITE sip:');
    await fixture.pass(63_000);
    await phone.inbox.take('SIP/2.0 100');
    expect(phone.inbox.rest).toEqual([]);
    await fixture.pass(1_000);
    await phone.inbox.take('SIP/2.0 480');
    await phone.request('ACK', { branch: 'z9hG4bKcall1INVITE' });
    expect((await app.sip(txn, '', 'SIP/2.0 200 OK\r\n\r\n')).why).toBe(
      'Response not sent due to unknown transaction',
    );
  });

  it('that the caller ends by BYE before the answer is cancelled for the app', async () => {
    await phone.request('INVITE', { body: SDP });
    const { txn } = await app.notified('INVITE sip:');
    await app.sip(txn, '', 'SIP/2.0 180 Ringing\r\n\r\n');
    const toTag = toTagOf(await phone.inbox.take('SIP/2.0 180'));
    await phone.request('BYE', { cseq: 2, toTag });
    expect(valueOf(await phone.inbox.take('SIP/2.0 200'), 'CSeq')).toBe('2 BYE');
    await phone.inbox.take('SIP/2.0 487');
    await phone.request('ACK', { branch: 'z9hG4bKcall1INVITE' });
    const notified = await app.notified('CSeq: 2 CANCEL');
    expect(notified.txn).toBe(txn);
  });

  it('without an app for it gets a 503', async () => {
    await app.command('remove_route|invite');
    await phone.request('INVITE', { body: SDP });
    await phone.inbox.take('SIP/2.0 503');
  });

  it('whose 200 is never acknowledged is ended after 64*T1, and the app is notified', async () => {
    await phone.request('INVITE', { body: SDP });
    const { txn } = await app.notified('INVITE sip:');
    await app.sip(txn, '', `SIP/2.0 200 OK\r\n\r\n${SDP}`);
    await fixture.pass(31_999);
    expect(phone.inbox.rest.filter((text) => text.startsWith('SIP/2.0 200'))).toHaveLength(11);
    await fixture.pass(1);
    const bye = await phone.inbox.take('BYE sip:');
    expect(valueOf(bye, 'Reason')).toBe('SIP;cause=200;text="ACK timeout"');
    const notified = await app.notified('BYE sip:');
    expect([notified.source, notified.txn]).toEqual(['application', 'unsolicited']);
    await phone.answer(bye, 200);
  });

  it('is passed to the app once, however often it is repeated', async () => {
    await phone.request('INVITE', { body: SDP });
    await phone.request('INVITE', { body: SDP });
    const { txn } = await app.notified('INVITE sip:');
    await rounds();
    expect(app.inbox.rest).toEqual([]);
    await app.sip(txn, '', 'SIP/2.0 486 Busy Here\r\n\r\n');
    await phone.inbox.take('SIP/2.0 486');
    await phone.request('ACK', { branch: 'z9hG4bKcall1INVITE' });
  });

  it('that arrives twice on different paths is accepted once (482)', async () => {
    await phone.request('INVITE', { branch: 'z9hG4bKone' });
    await phone.request('INVITE', { branch: 'z9hG4bKtwo' });
    await phone.inbox.take('SIP/2.0 482');
    const { txn } = await app.notified('INVITE sip:');
    await app.sip(txn, '', 'SIP/2.0 486 Busy Here\r\n\r\n');
  });

  it('gets a reliable 18x again until its PRACK, and not afterwards', async () => {
    await phone.request('INVITE', { body: SDP, extra: ['Supported: 100rel'] });
    const invite = await app.notified('INVITE sip:');
    const sent = await app.sip(
      invite.txn,
      '',
      `SIP/2.0 183 Session Progress\r\nrequire: 100rel\r\n\r\n${SDP}`,
    );
    const first = await phone.inbox.take('SIP/2.0 183');
    await fixture.pass(1_600);
    expect([await phone.inbox.take('SIP/2.0 183'), await phone.inbox.take('SIP/2.0 183')]).toEqual([
      first,
      first,
    ]);
    const rseq = valueOf(first, 'RSeq');
    const toTag = toTagOf(first);
    await phone.request('PRACK', { cseq: 2, toTag, extra: [`RAck: ${Number(rseq) + 1} 1 INVITE`] });
    await phone.inbox.take('SIP/2.0 481');
    await phone.request('PRACK', { cseq: 3, toTag, extra: [`RAck: ${rseq} 1 INVITE`] });
    const prack = await app.notified('PRACK sip:');
    expect(prack.dialog).toBe(sent.dialog);
    await app.sip(prack.txn, '', 'SIP/2.0 200 OK\r\n\r\n');
    await phone.inbox.take('3 PRACK');
    await fixture.pass(10_000);
    expect(phone.inbox.rest.filter((text) => text.startsWith('SIP/2.0 183'))).toEqual([]);
    await app.sip(invite.txn, '', 'SIP/2.0 486 Busy Here\r\n\r\n');
    await phone.request('ACK', { toTag, branch: 'z9hG4bKcall1INVITE' });
  });

  it('whose reliable 18x gets no PRACK ends with a 504, and for the app with a CANCEL', async () => {
    await phone.request('INVITE', { body: SDP, extra: ['Require: 100rel'] });
    const invite = await app.notified('INVITE sip:');
    const { dialog } = await app.sip(invite.txn, '', 'SIP/2.0 180 Ringing\r\n\r\n');
    await fixture.pass(31_900);
    expect(phone.inbox.rest.some((text) => text.startsWith('SIP/2.0 504'))).toBe(false);
    await fixture.pass(200);
    const rejected = await phone.inbox.take('SIP/2.0 504');
    await phone.request('ACK', { toTag: toTagOf(rejected), branch: 'z9hG4bKcall1INVITE' });
    const cancel = await app.notified('CANCEL sip:us@');
    expect([cancel.source, cancel.txn, cancel.dialog]).toEqual(['network', invite.txn, dialog]);
    for (const name of ['Via', 'From', 'To', 'Call-ID'])
      expect(valueOf(cancel.sip, name)).toBe(valueOf(invite.sip, name));
    expect(valueOf(cancel.sip, 'CSeq')).toBe('1 CANCEL');
    expect(valueOf(cancel.sip, 'Reason')).toContain('cause=504');
    expect((await app.sip(invite.txn, '', 'SIP/2.0 200 OK\r\n\r\n')).result).toBe('NOK');
  });

  it('from a caller that accepts only reliable 18x gets them, and the PRACK is handled without the app', async () => {
    await phone.request('INVITE', { body: SDP, extra: ['Require: 100rel'] });
    const invite = await app.notified('INVITE sip:');
    await app.sip(invite.txn, '', 'SIP/2.0 180 Ringing\r\n\r\n');
    const ringing = await phone.inbox.take('SIP/2.0 180');
    expect(valueOf(ringing, 'Require')).toBe('100rel');
    const rack = `RAck: ${valueOf(ringing, 'RSeq')} 1 INVITE`;
    await phone.request('PRACK', { cseq: 2, toTag: toTagOf(ringing), extra: [rack] });
    expect(await phone.inbox.take('2 PRACK')).toContain('SIP/2.0 200');
    expect(app.inbox.rest).toEqual([]);
    await app.sip(invite.txn, '', 'SIP/2.0 486 Busy Here\r\n\r\n');
  });

  it('answered before the PRACK of its 18x still accepts that PRACK', async () => {
    await phone.request('INVITE', { body: SDP, extra: ['Supported: 100rel'] });
    const invite = await app.notified('INVITE sip:');
    await app.sip(invite.txn, '', 'SIP/2.0 180 Ringing\r\nrequire: 100rel\r\n\r\n');
    const ringing = await phone.inbox.take('SIP/2.0 180');
    const toTag = toTagOf(ringing);
    const { dialog } = await app.sip(invite.txn, '', `SIP/2.0 200 OK\r\n\r\n${SDP}`);
    await phone.request('PRACK', { cseq: 2, toTag, extra: [`RAck: ${valueOf(ringing, 'RSeq')} 1 INVITE`] });
    expect(await phone.inbox.take('2 PRACK')).toContain('SIP/2.0 200');
    await phone.request('ACK', { toTag });
    await app.notified('ACK sip:');
    await hangUp(dialog);
  });

  it('with a reliable 18x that is not acknowledged is rejected with 504', async () => {
    await phone.request('INVITE', { body: SDP, extra: ['Supported: 100rel'] });
    const invite = await app.notified('INVITE sip:');
    await app.sip(invite.txn, '', 'SIP/2.0 180 Ringing\r\nrequire: 100rel\r\n\r\n');
    await fixture.pass(64_000);
    await phone.inbox.take('SIP/2.0 504');
  });

  it('is rejected if it requires an unsupported extension, which the response names', async () => {
    await phone.request('INVITE', { extra: ['Require: precondition, timer'] });
    const refusal = await phone.inbox.take('SIP/2.0 420');
    expect(valueOf(refusal, 'Unsupported')).toBe('precondition');
    expect(app.inbox.rest).toEqual([]);
  });

  it('is passed to the app unchanged except for the Via', async () => {
    await phone.request('INVITE', { body: SDP, extra: ['Subject: caf\xc3\xa9 | <&>', 'X-Folded: a', '  b'] });
    const invite = await app.notified('INVITE sip:');
    expect(invite.sip).toContain('Subject: caf\xc3\xa9 | <&>\r\nX-Folded: a\r\n  b\r\n');
    expect(invite.sip).toContain(`;rport=${phone.port};branch=`);
    expect(invite.sip.endsWith(SDP)).toBe(true);
    await app.sip(invite.txn, '', 'SIP/2.0 486 Busy Here\r\n\r\n');
  });
});
