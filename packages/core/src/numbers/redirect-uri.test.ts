import { expect, test } from 'vitest';
import { hostOf, hostPortOf, redirectUri } from './redirect-uri.ts';

test.each([
  [{ redirect: '99#' }, 'UDP', 'sip:99%234930123@192.0.2.5:5080'],
  [{ redirect: '*7' }, 'TCP', 'sip:*74930123@192.0.2.5:5080;transport=tcp'],
  [{ outbound: '1' }, 'TLS', 'sip:4930123@192.0.2.5:5080;transport=tls'],
  [null, 'UDP', 'sip:4930123@192.0.2.5:5080'],
] as const)('with the prefixes %j over %s, a call is redirected to %s', (techPrefixes, transport, uri) => {
  expect(redirectUri('4930123', { techPrefixes, hostPort: '192.0.2.5:5080', transport })).toBe(uri);
});

test.each([
  ['192.0.2.5', '192.0.2.5'],
  ['SIP.Carrier.example:5061', 'sip.carrier.example'],
  ['[2001:DB8::1]:5060', '2001:db8::1'],
  ['', null],
  ['a b', null],
  ['host:123456', null],
  ['192.0.2.5>,<sip:x', null],
])('the host of %s is %s', (hostPort, host) => expect(hostOf(hostPort)).toBe(host));

test.each([
  ['192.0.2.5', 5060, '192.0.2.5'],
  ['sip.carrier.example', 5080, 'sip.carrier.example:5080'],
  ['2001:db8::1', 5060, '[2001:db8::1]'],
  ['[2001:db8::1]', 5061, '[2001:db8::1]:5061'],
])('%s and %i are written %s', (host, port, text) => expect(hostPortOf({ host, port })).toBe(text));
