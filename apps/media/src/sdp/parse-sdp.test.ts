import { expect, test } from 'vitest';
import { parseSdp } from './parse-sdp.ts';

test('values that are written like numbers are strings where text belongs', () => {
  const { connection, fingerprint, media } = parseSdp(
    [
      'v=0',
      'o=- 1 1 IN IP4 127.0.0.1',
      's=-',
      'c=IN IP4 0.1',
      't=0 0',
      'a=fingerprint:1 2',
      'm=3 4 5 96',
      'c=IN IP4 6',
      'a=rtpmap:96 7/8000',
      'a=fingerprint:8 9',
      'a=extmap:1 10',
      'a=candidate:1 1 11 1 0.1 4000 typ host',
      'a=ssrc:1 cname:12',
      '',
    ].join('\r\n'),
  );
  expect(connection?.ip).toBe('0.1');
  expect(fingerprint).toEqual({ type: '1', hash: '2' });
  expect(media).toMatchObject([
    {
      type: '3',
      protocol: '5',
      connection: { ip: '6' },
      rtp: [{ payload: 96, codec: '7', rate: 8_000 }],
      fingerprint: { type: '8', hash: '9' },
      ext: [{ uri: '10' }],
      candidates: [{ transport: '11', ip: '0.1', port: 4_000 }],
      ssrcs: [{ id: 1, attribute: 'cname', value: '12' }],
    },
  ]);
});
