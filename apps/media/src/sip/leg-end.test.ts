import { expect, test } from 'vitest';
import { byeEnd } from './leg-end.ts';
import type { SipMessage } from './srf.ts';

const bye = (reason?: string): SipMessage => ({
  get: (name) => (name === 'Reason' ? reason : undefined),
  has: () => reason !== undefined,
  source_address: '192.0.2.1',
  source_port: 5_060,
  protocol: 'udp',
});

test.each([
  ['the far end', 'Q.850;cause=16', 'remote-bye', 16],
  ['the far end, without a reason', undefined, 'remote-bye', null],
  ['the SIP server without an ACK', 'SIP;cause=200;text="ACK timeout"', 'unreachable', null],
  ['the SIP server without a refresh', 'SIP ;cause=200 ;text="Session timer expired"', 'unreachable', null],
  ['the SIP server after a CANCEL', 'SIP ;cause=200 ;text="CANCEL after 200 OK"', 'remote-bye', null],
])('a BYE of %s', (_, reason, cause, q850) => {
  expect(byeEnd(bye(reason), 'a reason')).toMatchObject({ cause, q850 });
});
