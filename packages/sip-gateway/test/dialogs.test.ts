/** What the gateway does on its own during a call, and when its app disconnects. */
import { describe, expect, it } from 'vitest';
import { SDP, valueOf } from './gateway-fixture.ts';
import { app, dial, phone, hangUp, inboundCall, reconnect, fixture, useCallFixture } from './call-fixture.ts';

useCallFixture();

const byes = (): string[] => phone.inbox.rest.filter((text) => text.startsWith('BYE'));

describe('inside a dialog', () => {
  it('a re-INVITE that crosses ours is rejected with 491, a second one from the remote party with 500', async () => {
    const { dialog, toTag } = await inboundCall();
    await app.sip('', dialog, `INVITE sip:placeholder SIP/2.0\r\n\r\n${SDP}`);
    const ours = await phone.inbox.take('INVITE sip:phone');
    await phone.request('INVITE', { call: 'in', cseq: 2, toTag });
    await phone.inbox.take('SIP/2.0 491');
    await phone.answer(ours, 488);
    await app.notified('SIP/2.0 488');
    await phone.request('INVITE', { call: 'in', cseq: 3, toTag });
    const theirs = await app.notified('CSeq: 3 INVITE');
    await phone.request('INVITE', { call: 'in', cseq: 4, toTag });
    expect(valueOf(await phone.inbox.take('SIP/2.0 500'), 'Retry-After')).not.toBe('');
    await app.sip(theirs.txn, '', 'SIP/2.0 488 Not Acceptable Here\r\n\r\n');
    await hangUp(dialog);
  });

  it('an UPDATE with an offer is rejected with 491 during our re-INVITE, with 500 during the remote party’s', async () => {
    const { dialog, toTag } = await inboundCall();
    await app.sip('', dialog, `INVITE sip:placeholder SIP/2.0\r\n\r\n${SDP}`);
    const ours = await phone.inbox.take('INVITE sip:phone');
    await phone.request('UPDATE', { call: 'in', cseq: 2, toTag, body: SDP });
    await phone.inbox.take('SIP/2.0 491');
    await phone.answer(ours, 488);
    await app.notified('SIP/2.0 488');
    await phone.request('INVITE', { call: 'in', cseq: 3, toTag });
    const theirs = await app.notified('CSeq: 3 INVITE');
    await phone.request('UPDATE', { call: 'in', cseq: 4, toTag, body: SDP });
    expect(valueOf(await phone.inbox.take('SIP/2.0 500'), 'Retry-After')).not.toBe('');
    await app.sip(theirs.txn, '', 'SIP/2.0 488 Not Acceptable Here\r\n\r\n');
    await hangUp(dialog);
  });

  it('an UPDATE that the app rejects does not change the target', async () => {
    const { dialog, toTag } = await inboundCall();
    const moved = await fixture.remotePhone();
    for (const [cseq, status] of [
      [2, 488],
      [3, 200],
    ] as const) {
      const contact = `Contact: <sip:phone@127.0.0.1:${moved.port}>`;
      await phone.request('UPDATE', { call: 'in', cseq, toTag, contact });
      const update = await app.notified('UPDATE sip:');
      await app.sip(update.txn, '', `SIP/2.0 ${status} Answer\r\n\r\n`);
      const answer = await phone.inbox.take(`${cseq} UPDATE`);
      expect(/^Contact:/m.test(answer)).toBe(status === 200);
      await app.sip('', dialog, 'INFO sip:placeholder SIP/2.0\r\n\r\n');
      const end = status === 200 ? moved : phone;
      await end.answer(await end.inbox.take('INFO sip:'), 200);
      await app.notified('SIP/2.0 200');
    }
    await app.sip('', dialog, 'BYE sip:placeholder SIP/2.0\r\n\r\n');
    await moved.answer(await moved.inbox.take('BYE sip:'), 200);
    await app.notified('SIP/2.0 200');
  });

  it('a request with an old CSeq is rejected', async () => {
    const { dialog, toTag } = await inboundCall();
    await phone.request('INFO', { call: 'in', cseq: 5, toTag });
    const info = await app.notified('INFO sip:');
    await app.sip(info.txn, '', 'SIP/2.0 200 OK\r\n\r\n');
    await phone.request('INFO', { call: 'in', cseq: 4, toTag });
    await phone.inbox.take('SIP/2.0 500');
    await hangUp(dialog);
  });

  it('a BYE that crosses ours gets a response, and ours ends the dialog', async () => {
    const { dialog, toTag } = await inboundCall();
    await app.sip('', dialog, 'BYE sip:placeholder SIP/2.0\r\n\r\n');
    const ours = await phone.inbox.take('BYE sip:');
    await phone.request('BYE', { call: 'in', cseq: 2, toTag });
    await phone.inbox.take('2 BYE');
    await phone.answer(ours, 200);
    await app.notified('SIP/2.0 200');
    expect(fixture.gateway.load.dialogs).toBe(0);
  });

  it('a challenged BYE keeps the dialog for a second attempt', async () => {
    const { dialog } = await inboundCall();
    await app.sip('', dialog, 'BYE sip:placeholder SIP/2.0\r\n\r\n');
    await phone.answer(await phone.inbox.take('BYE sip:'), 401);
    await app.notified('SIP/2.0 401');
    await hangUp(dialog);
  });

  it('the next request is sent to the new Contact of a re-INVITE', async () => {
    const { dialog, toTag } = await inboundCall();
    const moved = await fixture.remotePhone();
    await phone.send(
      (await reinvite(toTag)).replace(
        `Contact: <sip:phone@127.0.0.1:${phone.port}>`,
        `Contact: <sip:phone@127.0.0.1:${moved.port}>`,
      ),
    );
    const invite = await app.notified('CSeq: 2 INVITE');
    await app.sip(invite.txn, '', `SIP/2.0 200 OK\r\n\r\n${SDP}`);
    await phone.request('ACK', { call: 'in', cseq: 2, toTag });
    await app.notified('ACK sip:');
    await app.sip('', dialog, 'BYE sip:placeholder SIP/2.0\r\n\r\n');
    await moved.answer(await moved.inbox.take('BYE sip:'), 200);
    await app.notified('SIP/2.0 200');
  });

  it('a request for an unknown dialog, or with a wrong tag, gets 481 and is not passed to the app', async () => {
    const { dialog, toTag } = await inboundCall();
    await phone.request('INFO', { call: 'other', cseq: 2, toTag });
    await phone.inbox.take('SIP/2.0 481');
    await phone.request('INFO', { call: 'in', cseq: 2, toTag, fromTag: 'stranger' });
    await phone.inbox.take('SIP/2.0 481');
    await phone.request('CANCEL', { call: 'none' });
    await phone.inbox.take('SIP/2.0 481');
    expect(app.inbox.rest).toEqual([]);
    await hangUp(dialog);
  });

  async function reinvite(toTag: string): Promise<string> {
    const probe = await fixture.remotePhone();
    probe.close();
    return [
      `INVITE sip:us@127.0.0.1:${fixture.gateway.sipPort} SIP/2.0`,
      `Via: SIP/2.0/UDP 127.0.0.1:${phone.port};rport;branch=z9hG4bKre`,
      `From: <sip:phone@127.0.0.1:${phone.port}>;tag=phone`,
      `To: <sip:us@127.0.0.1:${fixture.gateway.sipPort}>;tag=${toTag}`,
      'Call-ID: in',
      'CSeq: 2 INVITE',
      `Contact: <sip:phone@127.0.0.1:${phone.port}>`,
      'Content-Length: 0',
      '',
      '',
    ].join('\r\n');
  }
});

describe('session timers (RFC 4028)', () => {
  it('a session that the caller did not refresh as promised is ended, and the app is notified', async () => {
    const { ok } = await inboundCall('in', ['Supported: timer', 'Session-Expires: 90']);
    expect(valueOf(ok, 'Session-Expires')).toBe('90;refresher=uac');
    expect(valueOf(ok, 'Require')).toBe('timer');
    await fixture.pass(59_900);
    expect(phone.inbox.rest.filter((text) => text.startsWith('BYE'))).toEqual([]);
    await fixture.pass(200);
    const bye = await phone.inbox.take('BYE sip:');
    expect(valueOf(bye, 'Reason')).toContain('Session timer expired');
    await app.notified('|unsolicited|');
    await phone.answer(bye, 200);
  });

  it('an UPDATE of the caller refreshes it', async () => {
    const { dialog, toTag } = await inboundCall('in', [
      'Supported: timer',
      'Session-Expires: 90;refresher=uac',
    ]);
    await fixture.pass(50_000);
    await phone.request('UPDATE', {
      call: 'in',
      cseq: 2,
      toTag,
      extra: ['Session-Expires: 90;refresher=uac', 'Supported: timer'],
    });
    const update = await app.notified('UPDATE sip:');
    await app.sip(update.txn, '', 'SIP/2.0 200 OK\r\n\r\n');
    expect(valueOf(await phone.inbox.take('2 UPDATE'), 'Session-Expires')).toBe('90;refresher=uac');
    await fixture.pass(50_000);
    await hangUp(dialog);
  });

  it('a re-INVITE or UPDATE without Session-Expires ends the session timer', async () => {
    const { dialog, toTag } = await inboundCall('in', ['Supported: timer', 'Session-Expires: 90']);
    await phone.request('UPDATE', { call: 'in', cseq: 2, toTag });
    const update = await app.notified('UPDATE sip:');
    await app.sip(update.txn, '', 'SIP/2.0 200 OK\r\n\r\n');
    await phone.inbox.take('2 UPDATE');
    await fixture.pass(200_000);
    expect(byes()).toEqual([]);
    await hangUp(dialog);
  });

  it('the interval in the app’s response to an UPDATE is used', async () => {
    const { toTag } = await inboundCall();
    await phone.request('UPDATE', {
      call: 'in',
      cseq: 2,
      toTag,
      extra: ['Session-Expires: 600;refresher=uac'],
    });
    const update = await app.notified('UPDATE sip:');
    await app.sip(update.txn, '', 'SIP/2.0 200 OK\r\nSession-Expires: 300;refresher=uac\r\n\r\n');
    expect(valueOf(await phone.inbox.take('2 UPDATE'), 'Session-Expires')).toBe('300;refresher=uac');
    await fixture.pass(267_900);
    expect(byes()).toEqual([]);
    await fixture.pass(200);
    await phone.answer(await phone.inbox.take('BYE sip:'), 200);
    await app.notified('|unsolicited|');
  });

  it('a session that we refresh is refreshed by UPDATE if the remote party supports it', async () => {
    const { dialog } = await inboundCall('in', [
      'Allow: INVITE, ACK, BYE, UPDATE',
      'Supported: timer',
      'Session-Expires: 90;refresher=uas',
    ]);
    await fixture.pass(45_100);
    const update = await phone.inbox.take('UPDATE sip:');
    expect(update.endsWith('\r\n\r\n')).toBe(true);
    expect(valueOf(update, 'Session-Expires')).toBe('90;refresher=uac');
    await phone.answer(update, 200, { extra: ['Session-Expires: 90;refresher=uac'] });
    await fixture.pass(45_100);
    await phone.answer(await phone.inbox.take('UPDATE sip:'), 501);
    // The remote party rejects UPDATE despite its Allow header.
    const invite = await phone.inbox.take('INVITE sip:');
    await phone.answer(invite, 200, { extra: ['Session-Expires: 90;refresher=uac'], body: SDP });
    await phone.inbox.take('ACK sip:');
    await hangUp(dialog);
    expect(app.inbox.rest).toEqual([]);
  });

  describe('a refresh by re-INVITE has the current session description', () => {
    const NEW_SDP = SDP.replace('o=t 1 1', 'o=t 1 2');
    const refreshed = async (dialog: string): Promise<string> => {
      await fixture.pass(45_100);
      const invite = await phone.inbox.take('INVITE sip:');
      await phone.answer(invite, 200, { extra: ['Session-Expires: 90;refresher=uac'], body: SDP });
      await phone.inbox.take('ACK sip:');
      await hangUp(dialog);
      return invite.slice(invite.indexOf('\r\n\r\n') + 4);
    };
    const timer = ['Supported: timer', 'Session-Expires: 90;refresher=uas'];

    it('after an UPDATE of the remote party', async () => {
      const { dialog, toTag } = await inboundCall('in', timer);
      await phone.request('UPDATE', { call: 'in', cseq: 2, toTag, extra: timer, body: SDP });
      const update = await app.notified('UPDATE sip:');
      await app.sip(update.txn, '', `SIP/2.0 200 OK\r\n\r\n${NEW_SDP}`);
      await phone.inbox.take('2 UPDATE');
      expect(await refreshed(dialog)).toBe(NEW_SDP);
    });

    it.each([
      ['UPDATE', 200, NEW_SDP],
      ['UPDATE', 488, SDP],
      ['INVITE', 200, NEW_SDP],
      ['INVITE', 488, SDP],
    ])('after our %s, which gets %i', async (method, status, expected) => {
      const { dialog } = await inboundCall('in', timer);
      await app.sip('', dialog, `${method} sip:placeholder SIP/2.0\r\n\r\n${NEW_SDP}`);
      const extra = ['Session-Expires: 90;refresher=uac'];
      await phone.answer(
        await phone.inbox.take(`${method} sip:`),
        status,
        status === 200 ? { extra, body: SDP } : {},
      );
      await app.notified(`SIP/2.0 ${status}`);
      if (method === 'INVITE') {
        if (status === 200) await app.sip('', dialog, 'ACK sip:placeholder SIP/2.0\r\n\r\n');
        await phone.inbox.take('ACK sip:');
      }
      expect(await refreshed(dialog)).toBe(expected);
    });
  });

  it('a refresh that crossed the remote party’s re-INVITE is retried within 4 s', async () => {
    const { dialog } = await inboundCall('in', ['Supported: timer', 'Session-Expires: 90;refresher=uas']);
    await fixture.pass(45_100);
    await phone.answer(await phone.inbox.take('INVITE sip:'), 491);
    await phone.inbox.take('ACK sip:');
    await fixture.pass(4_000);
    const again = await phone.inbox.take('INVITE sip:');
    await phone.answer(again, 200, { extra: ['Session-Expires: 90;refresher=uac'], body: SDP });
    await phone.inbox.take('ACK sip:');
    await fixture.pass(40_000);
    expect(byes()).toEqual([]);
    await hangUp(dialog);
  });

  it.each([
    ['after the seconds in Retry-After', ['Retry-After: 3'], 3_000],
    ['after 5 s', [], 5_000],
    ['in time, if Retry-After is beyond the end of the session', ['Retry-After: 600'], 9_000],
  ])('a refresh that the remote party could not process is repeated once, %s', async (_, extra, waitMs) => {
    const { dialog } = await inboundCall('in', ['Supported: timer', 'Session-Expires: 90;refresher=uas']);
    await fixture.pass(45_100);
    await phone.answer(await phone.inbox.take('INVITE sip:'), 503, { extra });
    await phone.inbox.take('ACK sip:');
    await fixture.pass(waitMs - 200);
    expect(phone.inbox.rest.filter((text) => text.startsWith('INVITE'))).toEqual([]);
    await fixture.pass(400);
    await phone.answer(await phone.inbox.take('INVITE sip:'), 200, { body: SDP });
    await phone.inbox.take('ACK sip:');
    await fixture.pass(40_000);
    expect(byes()).toEqual([]);
    await hangUp(dialog);
  });

  it('a refresh that the remote party could not process twice is not repeated again', async () => {
    await inboundCall('in', ['Supported: timer', 'Session-Expires: 90;refresher=uas']);
    await fixture.pass(45_100);
    for (const waitMs of [5_100, 0]) {
      await phone.answer(await phone.inbox.take('INVITE sip:'), 500);
      await phone.inbox.take('ACK sip:');
      await fixture.pass(waitMs);
    }
    await fixture.pass(60_100);
    expect(phone.inbox.rest.filter((text) => text.startsWith('INVITE'))).toEqual([]);
    await phone.answer(await phone.inbox.take('BYE sip:'), 200);
    await app.notified('|unsolicited|');
  });

  it('an interval below the minimum, from a remote party without 422 support, is raised to the minimum', async () => {
    const { dialog } = await inboundCall('in', ['Session-Expires: 0;refresher=uas']);
    await fixture.pass(44_900);
    expect(phone.inbox.rest.filter((text) => /^(INVITE|BYE)/.test(text))).toEqual([]);
    await fixture.pass(200);
    await phone.answer(await phone.inbox.take('INVITE sip:'), 200, { body: SDP });
    await phone.inbox.take('ACK sip:');
    await hangUp(dialog);
  });

  it('too short an interval is rejected with our minimum', async () => {
    await phone.request('INVITE', { extra: ['Supported: timer', 'Session-Expires: 30'] });
    expect(valueOf(await phone.inbox.take('SIP/2.0 422'), 'Min-SE')).toBe('90');
  });
});

describe('an app whose connection is lost', () => {
  it('has its calls ended after the grace period: BYE, CANCEL, 480', async () => {
    const { toTag } = await inboundCall('up');
    const { invite } = await dial();
    await phone.answer(invite, 180);
    await app.notified('SIP/2.0 180');
    await phone.request('INVITE', { call: 'asking' });
    await app.notified('Call-ID: asking');
    app.socket.destroy();
    await fixture.pass(400);
    expect(phone.inbox.rest.filter((text) => /^(BYE|CANCEL|SIP\/2.0 480)/.test(text))).toEqual([]);
    await fixture.pass(200);
    await phone.inbox.take('SIP/2.0 480');
    const cancel = await phone.inbox.take('CANCEL sip:');
    const bye = await phone.inbox.take('BYE sip:');
    expect(valueOf(bye, 'Call-ID')).toBe('up');
    expect(valueOf(bye, 'From')).toContain(toTag);
    await phone.answer(bye, 200);
    await phone.answer(cancel, 200);
    await phone.answer(invite, 487);
    await phone.inbox.take('ACK sip:bob');
    expect(fixture.gateway.counters.endedByServer).toBeGreaterThan(0);
  });

  it('has a 200 that crosses the end acknowledged and ended', async () => {
    const { invite } = await dial();
    await phone.answer(invite, 180);
    await app.notified('SIP/2.0 180');
    app.socket.destroy();
    await fixture.pass(600);
    await phone.inbox.take('CANCEL sip:');
    await phone.answer(invite, 200, { body: SDP });
    await phone.inbox.take('ACK sip:phone');
    await phone.answer(await phone.inbox.take('BYE sip:phone'), 200);
  });

  it('keeps its calls if it reconnects in time and uses them', async () => {
    const { dialog, toTag } = await inboundCall();
    app.socket.destroy();
    await fixture.pass(300);
    await reconnect();
    await app.sip('', dialog, 'INFO sip:placeholder SIP/2.0\r\n\r\n');
    await phone.answer(await phone.inbox.take('INFO sip:'), 200);
    await app.notified('SIP/2.0 200');
    await fixture.pass(5_000);
    await phone.request('INFO', { call: 'in', cseq: 2, toTag });
    const info = await app.notified('INFO sip:');
    await app.sip(info.txn, '', 'SIP/2.0 200 OK\r\n\r\n');
    await hangUp(dialog);
  });

  it('has requests of the remote party responded to meanwhile', async () => {
    const { toTag } = await inboundCall();
    app.socket.destroy();
    await fixture.pass(100);
    await phone.request('BYE', { call: 'in', cseq: 2, toTag });
    await phone.inbox.take('2 BYE');
    expect(fixture.gateway.load.dialogs).toBe(0);
  });
});
