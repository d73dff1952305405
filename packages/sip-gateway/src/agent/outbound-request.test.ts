import { describe, expect, it } from 'vitest';
import { Addresses } from '../transport/addresses.ts';
import { ownVia, withViaFor } from './outbound-request.ts';

describe('the Via of a request', () => {
  const context = { addresses: new Addresses('192.0.2.200', undefined, () => 0), portOf: () => 5060 };
  const branch = 'z9hG4bKa';
  const text = `BYE sip:a SIP/2.0\r\nVia: ${ownVia(context, 'tcp', '', branch)}\r\n\r\n`;
  const destination = {
    protocol: 'tcp',
    peer: null,
    uri: { scheme: 'sip', user: '', host: 'a', port: 0, params: '', headers: '' },
  } as const;

  it('has the protocol that the request is sent with, if that is another one than the URI names', () => {
    const udp = { protocol: 'udp', address: '203.0.113.1', port: 5062 } as const;
    expect(withViaFor(context, text, branch, destination, udp)).toBe(
      `BYE sip:a SIP/2.0\r\nVia: SIP/2.0/UDP 192.0.2.200:5060;rport;branch=${branch}\r\n\r\n`,
    );
    expect(withViaFor(context, text, branch, destination, { ...udp, protocol: 'tcp' })).toBe(text);
  });
});
