import { expect, test } from 'vitest';
import { byeEnd, failedDial } from './leg-end.ts';
import type { SipMessage, SipRejection } from './srf.ts';

const bye = (source: 'network' | 'application', reason?: string): SipMessage => ({
  source,
  get: (name) => (name === 'Reason' ? reason : undefined),
  has: () => reason !== undefined,
  source_address: '192.0.2.1',
  source_port: 5_060,
  protocol: 'udp',
});

test.each([
  ['the remote party', 'network', 'Q.850;cause=16', 'remote-bye', 16],
  ['the remote party, without a reason', 'network', undefined, 'remote-bye', null],
  [
    'the remote party, with the SIP server’s reason',
    'network',
    'SIP;cause=200;text="ACK timeout"',
    'remote-bye',
    null,
  ],
  ['the SIP server without an ACK', 'application', 'SIP;cause=200;text="ACK timeout"', 'unreachable', null],
  [
    'the SIP server without a refresh',
    'application',
    'SIP ;cause=200 ;text="Session timer expired"',
    'unreachable',
    null,
  ],
  [
    'the SIP server after a CANCEL',
    'application',
    'SIP ;cause=200 ;text="CANCEL after 200 OK"',
    'remote-bye',
    null,
  ],
] as const)('a BYE from %s', (_, source, reason, cause, q850) => {
  expect(byeEnd(bye(source, reason), 'a reason')).toMatchObject({ cause, q850 });
});

/** A final response of this source address; '' if the SIP server generated it. */
const rejection = (status: number, sourceAddress: string, warning?: string): SipRejection =>
  Object.assign(new Error('rejected'), {
    status,
    res: {
      ...bye('network'),
      status,
      reason: 'rejected',
      source_address: sourceAddress,
      get: (name: string) => (name === 'Warning' ? warning : undefined),
      stackDialogId: '',
      finalResponseSent: true,
      send: () => undefined,
    },
  });
const generated = (status: number, code?: string) =>
  rejection(status, '', code === undefined ? undefined : `399 clarion "${code}"`);

test.each([
  ['no response', generated(408), 'unreachable', 'carrier_no_response'],
  ['a refused connection', generated(503, 'ECONNREFUSED'), 'unreachable', 'carrier_unreachable'],
  ['a failure that drachtio-server does not name', generated(503), 'unreachable', 'carrier_unreachable'],
  ['a transport that the SIP server does not have', generated(416), 'unreachable', 'carrier_unreachable'],
  ['an unknown name', generated(503, 'ENOTFOUND'), 'unreachable', 'host_not_found'],
  ['an expired certificate', generated(503, 'CERT_HAS_EXPIRED'), 'unreachable', 'tls_certificate'],
  [
    'an untrusted certificate',
    generated(503, 'DEPTH_ZERO_SELF_SIGNED_CERT'),
    'unreachable',
    'tls_certificate',
  ],
  [
    'a certificate chain',
    generated(503, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'),
    'unreachable',
    'tls_certificate',
  ],
  ['another name', generated(503, 'ERR_TLS_CERT_ALTNAME_INVALID'), 'unreachable', 'tls_certificate'],
  ['a carrier’s own 503', rejection(503, '192.0.2.1'), 'rejected', undefined],
  [
    'a carrier that imitates our Warning',
    rejection(503, '192.0.2.1', '399 clarion "ENOTFOUND"'),
    'rejected',
    undefined,
  ],
  ['a redirect', rejection(302, '192.0.2.1'), 'rejected', 'redirect_not_followed'],
  ['a second challenge', rejection(407, '192.0.2.1'), 'rejected', 'credentials_rejected'],
] as const)('an INVITE that ends with %s', (_, error, cause, reason) => {
  const end = failedDial(error, null, false);
  expect([end.cause, end.reason]).toEqual([cause, reason]);
});
