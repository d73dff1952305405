import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildMessage, buildResponse } from './build.ts';
import { wireSpelling } from './headers.ts';
import { headerAll } from './message.ts';
import { parseMessage } from './parse.ts';

describe('buildMessage', () => {
  it('orders known headers, computes the length, and puts unknown headers last', () => {
    const text = buildMessage(
      'MESSAGE sip:b@h SIP/2.0',
      [
        ['x-custom', '1'],
        ['cseq', '1 MESSAGE'],
        ['my-own-header', '2'],
        ['v', 'SIP/2.0/UDP h;branch=z9hG4bK1'],
      ],
      'h\xc3\xa9',
    );
    expect(text.split('\r\n')).toEqual([
      'MESSAGE sip:b@h SIP/2.0',
      'Via: SIP/2.0/UDP h;branch=z9hG4bK1',
      'CSeq: 1 MESSAGE',
      'Content-Length: 3',
      'x-custom: 1',
      'My-Own-Header: 2',
      '',
      'h\xc3\xa9',
    ]);
  });

  it('parses back to what was written', () => {
    const token = fc.stringMatching(/^[A-Za-z0-9.]{1,20}$/);
    const value = fc.stringMatching(/^[ -~\x80-\xff]{0,60}$/).map((text) => text.trim());
    const extra = fc.array(
      fc.tuple(
        token.map((name) => `X-${name}`),
        value,
      ),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(token, token, extra, fc.string({ unit: 'binary' }), (callId, tag, extras, raw) => {
        const body = Buffer.from(raw).toString('latin1');
        const text = buildMessage(
          'MESSAGE sip:b@h SIP/2.0',
          [
            ['Via', 'SIP/2.0/UDP h;branch=z9hG4bK1'],
            ['From', `<sip:a@h>;tag=${tag}`],
            ['To', '<sip:b@h>'],
            ['Call-ID', callId],
            ['CSeq', '1 MESSAGE'],
            ...extras,
          ],
          body,
        );
        const parsed = parseMessage(text);
        expect(parsed?.fault).toBeNull();
        expect(parsed?.message).toMatchObject({ callId, fromTag: tag, body });
        if (parsed === null) return;
        for (const [name, given] of extras)
          expect(headerAll(parsed.message, name.toLowerCase())).toContain(given);
      }),
    );
  });
});

describe('wireSpelling', () => {
  it.each([
    ['cseq', 'CSeq'],
    ['CALL-ID', 'Call-ID'],
    ['p-asserted-identity', 'P-Asserted-Identity'],
    ['x-low-case', 'x-low-case'],
    ['my-own-header', 'My-Own-Header'],
  ])('%s is written %s', (given, written) => {
    expect(wireSpelling(given)).toBe(written);
  });
});

describe('buildResponse', () => {
  const request = [
    'INVITE sip:b@h SIP/2.0',
    'Via: SIP/2.0/UDP p1;branch=z9hG4bK1, SIP/2.0/UDP p0;branch=z9hG4bK0',
    'Via: SIP/2.0/UDP p9;branch=z9hG4bK9',
    'Record-Route: <sip:p1;lr>',
    'From: <sip:a@h>;tag=f',
    'To: <sip:b@h>',
    'Call-ID: c',
    'CSeq: 1 INVITE',
    '',
    '',
  ].join('\r\n');

  it('copies every Via in order and adds our tag to To', () => {
    const message = parseMessage(request)?.message;
    if (message === undefined) throw new Error('unreadable');
    const lines = buildResponse(message, `${message.viaText};rport=1`, 180, 'Ringing', 'ours').split('\r\n');
    expect(lines.slice(1, 7)).toEqual([
      'Via: SIP/2.0/UDP p1;branch=z9hG4bK1;rport=1',
      'Via: SIP/2.0/UDP p0;branch=z9hG4bK0',
      'Via: SIP/2.0/UDP p9;branch=z9hG4bK9',
      'Record-Route: <sip:p1;lr>',
      'From: <sip:a@h>;tag=f',
      'To: <sip:b@h>;tag=ours',
    ]);
  });
});
