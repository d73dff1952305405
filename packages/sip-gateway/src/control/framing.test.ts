import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FrameReader, MAX_FRAME_BYTES, frame, readPayload } from './framing.ts';

describe('FrameReader', () => {
  it('returns every payload for any split of the stream', () => {
    const payload = fc
      .string({ minLength: 1, maxLength: 80 })
      .map((text) => Buffer.from(text).toString('latin1'));
    fc.assert(
      fc.property(fc.array(payload, { maxLength: 6 }), fc.integer({ min: 1, max: 7 }), (payloads, step) => {
        const stream = payloads.map(frame).join('');
        const reader = new FrameReader();
        const found: string[] = [];
        for (let at = 0; at < stream.length; at += step)
          found.push(...(reader.push(stream.slice(at, at + step)) ?? []));
        expect(found).toEqual(payloads);
      }),
    );
  });

  it.each(['abc#', '#x', '0#', '9999999#', `${MAX_FRAME_BYTES + 1}#`, '-1#', ' 1#a'])(
    'refuses %j',
    (text) => {
      expect(new FrameReader().push(text)).toBeNull();
    },
  );

  it('accepts a frame of the maximum size', () => {
    const payload = 'x'.repeat(MAX_FRAME_BYTES);
    expect(new FrameReader().push(frame(payload))).toEqual([payload]);
  });
});

describe('readPayload', () => {
  it('does not split the SIP text at bars', () => {
    expect(readPayload('id|sip||\r\nMESSAGE a|b')).toEqual({
      fields: ['id', 'sip', '', ''],
      sip: 'MESSAGE a|b',
    });
    expect(readPayload('id|ping')).toEqual({ fields: ['id', 'ping'], sip: '' });
  });
});
