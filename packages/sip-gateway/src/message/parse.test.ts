import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TORTURE } from '../../test/torture/messages.ts';
import { header, headerAll, hasToken } from './message.ts';
import { MAX_HEAD_BYTES, MAX_HEADER_LINES, parseMessage } from './parse.ts';

const INVITE = [
  'INVITE sip:service@127.0.0.1:5070 SIP/2.0',
  'Via: SIP/2.0/UDP 127.0.0.1:5091;branch=z9hG4bK-1, SIP/2.0/TCP 10.0.0.1;branch=z9hG4bK-0',
  'f: "Alice, the caller" <sip:alice@127.0.0.1:5091>;tag=a1',
  'To: <sip:service@127.0.0.1:5070>',
  'i: call-1@host',
  'CSeq: 1 INVITE',
  'k: timer, 100rel',
  'Contact: <sip:alice@127.0.0.1>',
  'Content-Type: text/plain',
  'l: 5',
  '',
  'hello',
].join('\r\n');

describe('parseMessage', () => {
  it('reads compact and long header names alike', () => {
    const message = parseMessage(INVITE)?.message;
    expect(message).toMatchObject({
      method: 'INVITE',
      uri: 'sip:service@127.0.0.1:5070',
      callId: 'call-1@host',
      cseq: 1,
      fromTag: 'a1',
      toTag: '',
      body: 'hello',
      via: { transport: 'UDP', host: '127.0.0.1', port: 5091, branch: 'z9hG4bK-1', hasRport: false },
      viaText: 'SIP/2.0/UDP 127.0.0.1:5091;branch=z9hG4bK-1',
    });
    if (message === undefined) return;
    expect(hasToken(message, 'supported', '100rel')).toBe(true);
    expect(header(message, 'content-length')).toBe('5');
    expect(message.raw.slice(message.viaStart, message.viaEnd)).toBe(message.viaText);
  });

  it('joins folded lines with one space and keeps the other octets', () => {
    const folded = INVITE.replace('Contact: <', 'Subject: one\r\n  two\r\n\tthree \xc3\xa9\r\nContact: <');
    const message = parseMessage(folded)?.message;
    expect(message === undefined ? '' : header(message, 'subject')).toBe('one two three \xc3\xa9');
    expect(message?.raw).toBe(folded);
  });

  it('accepts lines that end with a line feed alone', () => {
    expect(parseMessage(INVITE.replaceAll('\r\n', '\n'))?.fault).toBeNull();
  });

  it('keeps every value of a repeated header', () => {
    const twice = INVITE.replace(
      'Contact:',
      'Record-Route: <sip:a;lr>\r\nRecord-Route: <sip:b;lr>\r\nContact:',
    );
    const message = parseMessage(twice)?.message;
    expect(message === undefined ? [] : headerAll(message, 'record-route')).toEqual([
      '<sip:a;lr>',
      '<sip:b;lr>',
    ]);
  });

  it('drops a message whose Call-ID would break a control frame', () => {
    expect(parseMessage(INVITE.replace('call-1@host', 'call|1'))).toBeNull();
  });

  it.each([
    ['headers', 'X-A: 1\r\n'],
    ['lines without a colon', 'l\r\n'],
    ['continuation lines', 'X-A: 1\r\n 2\r\n'],
    ['lines that end with a line feed alone', 'l\n'],
  ])('drops a message with too many %s', (_, line) => {
    const many = INVITE.replace('Contact:', `${line.repeat(MAX_HEADER_LINES)}Contact:`);
    expect(parseMessage(many)).toBeNull();
  });

  it('drops a message whose head is too long, and accepts a long one', () => {
    const withHeader = (octets: number) =>
      parseMessage(INVITE.replace('Contact:', `X-A: ${'a'.repeat(octets)}\r\nContact:`));
    expect(withHeader(MAX_HEAD_BYTES)).toBeNull();
    expect(withHeader(MAX_HEAD_BYTES - 1_000)?.fault).toBeNull();
    const folded = `X-A: 1\r\n ${'a'.repeat(MAX_HEAD_BYTES)}\r\nContact:`;
    expect(parseMessage(INVITE.replace('Contact:', folded))).toBeNull();
  });

  it('accepts a body that is larger than the largest head', () => {
    const body = 'a\n'.repeat(MAX_HEAD_BYTES);
    const large = INVITE.replace('l: 5', `l: ${body.length}`).replace('hello', body);
    expect(parseMessage(large)).toMatchObject({ fault: null, message: { body } });
  });

  it('accepts an ACK with an empty Request-URI, because it is matched by its tags', () => {
    const ack = INVITE.replace('INVITE sip:service@127.0.0.1:5070', 'ACK ').replace('1 INVITE', '1 ACK');
    expect(parseMessage(ack)).toMatchObject({ fault: null, message: { method: 'ACK', uri: '' } });
  });
});

describe('RFC 4475 torture messages', () => {
  it.each(TORTURE)('$section $name', ({ text, verdict }) => {
    const parsed = parseMessage(text);
    if (verdict === 0) expect(parsed).toBeNull();
    else expect(parsed?.fault?.status ?? 'valid').toBe(verdict);
  });

  it('have the fields that the RFC describes', () => {
    const named = (name: string) => {
      const found = TORTURE.find((entry) => entry.name.startsWith(name));
      return parseMessage(found?.text ?? '')?.message;
    };
    expect(named('wsinv')).toMatchObject({
      fromTag: '98asjd8',
      toTag: '1918181833n',
      cseq: 9,
      via: { transport: 'UDP', host: '192.0.2.2', branch: '390skdjuw' },
    });
    expect(named('dblreq')).toMatchObject({ method: 'REGISTER', body: '' });
    expect(named('esc02')).toMatchObject({ method: 'RE%47IST%45R' });
    expect(named('unreason')?.reason).toContain('2**3 * 5**2');
    expect(named('inv2543')).toMatchObject({ fromTag: '', via: { branch: '' } });
  });
});

describe('hostile input', () => {
  const octets = fc.string({
    unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
  });

  it('never throws on random octets', () => {
    fc.assert(
      fc.property(octets, (text) => {
        parseMessage(text);
      }),
      { numRuns: 2_000 },
    );
  });

  it('never throws on a damaged message, and accepted messages have the fields that matching needs', () => {
    const sources = [INVITE, ...TORTURE.map(({ text }) => text)];
    const damage = fc.record({
      source: fc.constantFrom(...sources),
      at: fc.nat(),
      cut: fc.integer({ min: 0, max: 40 }),
      insert: octets,
    });
    fc.assert(
      fc.property(fc.array(damage, { minLength: 1, maxLength: 3 }), (damages) => {
        let text = damages[0]?.source ?? '';
        for (const { at, cut, insert } of damages) {
          const where = text.length === 0 ? 0 : at % text.length;
          text = text.slice(0, where) + insert + text.slice(where + cut);
        }
        const parsed = parseMessage(text);
        if (parsed === null || parsed.fault !== null) return;
        const { message } = parsed;
        expect(message.callId).not.toBe('');
        expect(message.method).not.toBe('');
        expect(message.cseq).toBeGreaterThanOrEqual(0);
        expect(message.raw.slice(message.viaStart, message.viaEnd)).not.toBe('');
        expect(message.names.length).toBe(message.values.length);
      }),
      { numRuns: 3_000 },
    );
  });
});
