import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_HEAD_BYTES } from '../message/parse.ts';
import { MAX_STREAM_MESSAGE_BYTES, StreamFraming } from './framing.ts';

const one = 'OPTIONS sip:a SIP/2.0\r\nContent-Length: 0\r\n\r\n';
const two = 'MESSAGE sip:a SIP/2.0\r\nCall-ID: l:9\r\nl : 5\r\n\r\nhello';

describe('StreamFraming', () => {
  it('splits a stream into messages for any split into chunks', () => {
    const stream = `\r\n${one}\r\n\r\n${two}${one}`;
    fc.assert(
      fc.property(fc.array(fc.nat(stream.length), { maxLength: 12 }), (cuts) => {
        const framing = new StreamFraming();
        const found: string[] = [];
        let at = 0;
        for (const cut of [...cuts.sort((a, b) => a - b), stream.length]) {
          for (const event of framing.push(stream.slice(at, cut)) ?? []) {
            if (event.kind === 'message') found.push(event.text);
          }
          at = Math.max(at, cut);
        }
        expect(found).toEqual([one, two, one]);
      }),
    );
  });

  it('reports a keep-alive', () => {
    expect(new StreamFraming().push('\r\n\r\n')).toEqual([{ kind: 'ping' }]);
  });

  it.each(['Content-Length: -1', 'Content-Length: x', 'l: 99999999'])(
    'rejects a stream with %s',
    (header) => {
      expect(new StreamFraming().push(`OPTIONS sip:a SIP/2.0\r\n${header}\r\n\r\n`)).toBeNull();
    },
  );

  it('rejects a head without an end', () => {
    const framing = new StreamFraming();
    expect(framing.push('A'.repeat(MAX_HEAD_BYTES))).toEqual([]);
    expect(framing.push('A')).toBeNull();
  });

  it('rejects a head that is too long', () => {
    expect(
      new StreamFraming().push(`OPTIONS sip:a SIP/2.0\r\n${'l\r\n'.repeat(MAX_HEAD_BYTES / 3)}\r\n`),
    ).toBeNull();
  });

  it('accepts a body up to the size limit, in parts, and the message after it', () => {
    const head = (length: number) => `MESSAGE sip:a SIP/2.0\r\nl: ${length}\r\n\r\n`;
    const length = MAX_STREAM_MESSAGE_BYTES - head(MAX_STREAM_MESSAGE_BYTES).length;
    const large = head(length) + 'a'.repeat(length);
    const framing = new StreamFraming();
    expect(framing.push(large.slice(0, -2))).toEqual([]);
    expect(framing.push('a')).toEqual([]);
    expect(framing.push(`a${one}`)).toEqual([
      { kind: 'message', text: large },
      { kind: 'message', text: one },
    ]);
    expect(framing.push(head(length + 1))).toBeNull();
  });
});
