import { expect, test } from 'vitest';
import { byeEnd } from './leg-end.ts';
import type { SipMessage } from './srf.ts';

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
