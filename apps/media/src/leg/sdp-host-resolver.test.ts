import { pino } from 'pino';
import { expect, test } from 'vitest';
import { parseCarrierSdp } from '../sdp/carrier.ts';
import type { Agreement } from '../sip/agreement.ts';
import { SdpHostResolver } from './sdp-host-resolver.ts';

const naming = (host: string): Agreement => ({
  remote: parseCarrierSdp(
    `v=0\r\no=- 1 1 IN IP4 a\r\ns=-\r\nc=IN IP4 ${host}\r\nt=0 0\r\nm=audio 5000 RTP/AVP 8\r\n`,
  ),
  codecs: [{ codec: 'PCMA', payloadType: 8 }],
  keys: null,
});

test('a leg whose session description changes repeatedly looks up one name at a time, and then the newest', async () => {
  const lookups: { name: string; resolve: (addresses: string[]) => void }[] = [];
  const resolved: string[] = [];
  let newest = naming('a.example');
  const host = new SdpHostResolver({
    boundAddress: '127.0.0.1',
    newest: () => newest,
    onResolved: ({ remote }) => resolved.push(remote.address),
    log: pino({ level: 'silent' }),
    lookup: (name) => new Promise((resolve) => lookups.push({ name, resolve })),
  });
  const done = host.resolve(newest);
  for (const name of ['b.example', 'c.example', 'd.example']) {
    newest = naming(name);
    await host.resolve(newest);
  }
  expect(lookups.map(({ name }) => name)).toEqual(['a.example']);
  lookups[0]?.resolve(['192.0.2.1']);
  await expect.poll(() => lookups.map(({ name }) => name)).toEqual(['a.example', 'd.example']);
  lookups[1]?.resolve(['192.0.2.4']);
  await done;
  expect(resolved).toEqual(['192.0.2.4']);
});
