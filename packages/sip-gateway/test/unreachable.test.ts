/** Requests of the app to destinations that cannot be reached. */
import { describe, expect, it } from 'vitest';
import { SDP } from './gateway-fixture.ts';
import { app, useCallFixture } from './call-fixture.ts';

useCallFixture({
  resolver: {
    srv: async () => [{ name: 'phone.example', port: 0, priority: 1, weight: 1 }],
    addresses: async () => ['127.0.0.1'],
  },
});

describe('a destination that cannot exist', () => {
  it.each(['udp', 'tcp'])('such as port 0 of a SRV record gets a 503 (%s)', async (protocol) => {
    const { txn } = await app.sip(
      '',
      '',
      `INVITE sip:bob@port-0.example;transport=${protocol} SIP/2.0\r\n\r\n${SDP}`,
    );
    expect((await app.notified('SIP/2.0 503')).txn).toBe(txn);
  });
});
