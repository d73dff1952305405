import { describe, expect, it } from 'vitest';
import { bodyType, fillLocalhost, parseAppMessage, splitTag } from './app-message.ts';

describe('parseAppMessage', () => {
  it('drops headers that the server generates, and invalid lines', () => {
    const message = parseAppMessage(
      'OPTIONS sip:x@h SIP/2.0\r\nnot a header\r\nvia: x\r\nl: 9\r\nX-A:  1 \r\n\r\nbody\r\n\r\nmore',
    );
    expect(message).toMatchObject({ status: 0, method: 'OPTIONS', uri: 'sip:x@h', body: 'body\r\n\r\nmore' });
    expect(message.headers).toEqual([['X-A', '1']]);
  });

  it('parses responses with any reason phrase or none', () => {
    expect(parseAppMessage('SIP/2.0 404 No such person here')).toMatchObject({
      status: 404,
      reason: 'No such person here',
    });
    expect(parseAppMessage('SIP/2.0 200')).toMatchObject({ status: 200, reason: '' });
  });

  it.each(['', 'SIP/2.0 abc', 'SIP/2.0 42 x', 'INVITE', 'INVITE a b c SIP/2.0', '\r\n\r\n'])(
    'returns status -1 for %j',
    (text) => {
      expect(parseAppMessage(text).status).toBe(-1);
    },
  );
});

describe('fillLocalhost', () => {
  it('replaces @localhost in headers with addresses only', () => {
    expect(
      fillLocalhost(
        [
          ['from', '"A" <sip:1@localhost>;tag=x'],
          ['p-asserted-identity', '<sip:1@localhost:5060>'],
          ['X-Note', 'me@localhost'],
          ['to', '<sip:a@localhost.example>'],
        ],
        '10.0.0.1:5070',
      ),
    ).toEqual([
      ['from', '"A" <sip:1@10.0.0.1:5070>;tag=x'],
      ['p-asserted-identity', '<sip:1@10.0.0.1:5070>'],
      ['X-Note', 'me@localhost'],
      ['to', '<sip:a@localhost.example>'],
    ]);
  });
});

describe('splitTag', () => {
  it('adds brackets to a bare URI and extracts the tag', () => {
    expect(splitTag('sip:1999@h;tag=7')).toEqual({ address: '<sip:1999@h>', tag: '7' });
    expect(splitTag('"A" <sip:a@h;user=phone>;x=1;tag=7')).toEqual({
      address: '"A" <sip:a@h;user=phone>;x=1',
      tag: '7',
    });
  });
});

describe('bodyType', () => {
  it('detects only SDP', () => {
    expect(bodyType(parseAppMessage('MESSAGE sip:a@h SIP/2.0\r\n\r\nv=0\r\n'))).toEqual({
      ok: true,
      extra: [['Content-Type', 'application/sdp']],
    });
    expect(bodyType(parseAppMessage('MESSAGE sip:a@h SIP/2.0\r\n\r\nhello'))).toEqual({ ok: false });
    expect(bodyType(parseAppMessage('MESSAGE sip:a@h SIP/2.0\r\nc: text/plain\r\n\r\nhello'))).toEqual({
      ok: true,
      extra: [],
    });
  });
});
