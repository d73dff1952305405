/**
 * Whatever the gateway passes on from the network, drachtio-srf can parse: it would print what it cannot, including
 * phone numbers.
 */
import { createRequire } from 'node:module';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { notification } from '../src/control/frames.ts';
import { parseMessage } from '../src/message/parse.ts';
import { stampVia } from '../src/message/via.ts';
import { dialogId } from '../src/dialog/dialog.ts';
import { TORTURE } from './torture/messages.ts';

interface Read {
  type: string;
  uri?: string;
  status?: number;
  get: (name: string) => string | undefined;
}
const SipMessage = createRequire(import.meta.url)('drachtio-srf/lib/sip-parser/message') as new (
  text: string,
) => Read;

const INVITE = [
  'INVITE sip:service@127.0.0.1:5070 SIP/2.0',
  'Via: SIP/2.0/UDP 127.0.0.1:5091;branch=z9hG4bK-1',
  'From: "Alice" <sip:alice@127.0.0.1:5091>;tag=a1',
  'To: <sip:service@127.0.0.1:5070>;tag=b1',
  'Call-ID: call-1@host',
  'CSeq: 1 INVITE',
  'Subject: one',
  '  two',
  'Content-Length: 5',
  '',
  'hello',
].join('\r\n');
const OK = INVITE.replace(/^.*/, 'SIP/2.0 200 OK');
const ACK = INVITE.replace('INVITE', 'ACK').replace('1 INVITE', '1 ACK');

/** The message as drachtio-srf parses it from the frame; null if the gateway does not pass it on. */
function shown(text: string): Read | null {
  const parsed = parseMessage(text);
  if (parsed === null || parsed.fault !== null) return null;
  const { message } = parsed;
  const { raw, viaStart, viaEnd } = message;
  const via = stampVia(message.viaText, message.via, '192.0.2.1', 5060);
  const frame = notification({
    source: 'network',
    bytes: raw.length,
    route: { protocol: 'udp', address: '192.0.2.1', port: 5060 },
    time: 0,
    txn: 'txn',
    dialogId: dialogId(message.callId, message.fromTag),
    text: raw.slice(0, viaStart) + via + raw.slice(viaEnd),
  });
  const received = Buffer.from(frame, 'latin1').toString('utf8');
  return new SipMessage(received.slice(received.indexOf('\r') + 2));
}

describe('a message that drachtio-srf would misread', () => {
  it.each([
    ['has line breaks before it', `\r\n\r\n${INVITE}`],
    ['ends its lines with LF', INVITE.replaceAll('\r\n', '\n')],
    ['ends one line with LF', INVITE.replace('\r\nCSeq', '\nCSeq')],
    ['has sip in lower case', INVITE.replace('5070 SIP/2.0', '5070 sip/2.0')],
    ['is a response with sip in lower case', OK.replace('SIP/2.0 200', 'sip/2.0 200')],
    ['is an ACK without a Request-URI', ACK.replace('sip:service@127.0.0.1:5070 ', ' ')],
    ['is an ACK with a space in its Request-URI', ACK.replace('sip:service@', 'sip:ser vice@')],
  ])('is rewritten when it %s', (_what, text) => {
    const read = shown(text);
    expect([read?.get('Call-ID'), read?.get('CSeq')?.slice(0, 2)]).toEqual(['call-1@host', '1 ']);
    expect(read?.get('Subject')?.replace(/\s+/g, ' ')).toBe('one two');
    expect(read?.get('Via')).toBe(
      'SIP/2.0/UDP 127.0.0.1:5091;branch=z9hG4bK-1;rport=5060;received=192.0.2.1',
    );
  });

  it.each([
    ['a space in a header name', INVITE.replace('Subject', 'Sub ject')],
    ['a no-break space in a header name', INVITE.replace('Subject', 'Sub\xc2\xa0ject')],
    ['a carriage return in a header name', INVITE.replace('Subject:', 'Subject\r :')],
    ['a folded request line', INVITE.replace('\r\nVia', '\r\n Folded: x\r\nVia')],
    ['a request line folded before a colon', INVITE.replace('\r\nVia', '\r\n\t:\r\nVia')],
    ['a no-break space in the Request-URI', INVITE.replace('service@', 'ser\xc2\xa0vice@')],
    ['a carriage return in the Call-ID', INVITE.replace('call-1@', 'call\r1@')],
    ['a carriage return in the tag', INVITE.replace('tag=a1', 'tag=a\r1')],
    ['a carriage return in the reason phrase', OK.replace('OK', 'O\rK')],
    ['a line separator in the reason phrase', OK.replace('OK', 'O\xe2\x80\xa8K')],
  ])('is not passed on with %s', (_what, text) => {
    expect(shown(text)).toBeNull();
  });
});

it('for any damage in a message, drachtio-srf parses what the gateway passes on', () => {
  const octets = fc.string({
    unit: fc.oneof(
      fc.constantFrom(
        '\r',
        '\n',
        '\r\n',
        ' ',
        '\t',
        ':',
        '|',
        '\xc2\xa0',
        '\xe2\x80\xa8',
        '\xe3\x80\x80',
        'sip',
      ),
      fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
    ),
    maxLength: 6,
  });
  const damage = fc.record({ at: fc.nat(), cut: fc.integer({ min: 0, max: 4 }), insert: octets });
  const source = fc.constantFrom(INVITE, OK, ACK, ...TORTURE.map(({ text }) => text));
  fc.assert(
    fc.property(source, fc.array(damage, { minLength: 1, maxLength: 3 }), (whole, damages) => {
      let text = whole;
      for (const { at, cut, insert } of damages) {
        const where = at % (text.length + 1);
        text = text.slice(0, where) + insert + text.slice(where + cut);
      }
      expect(() => shown(text)).not.toThrow();
    }),
    { numRuns: 5_000 },
  );
});
