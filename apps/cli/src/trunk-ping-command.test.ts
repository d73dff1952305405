import { expect, test } from 'vitest';
import { readable } from './trunk-ping-command.ts';

test('a check-up is a table with what to do', () => {
  const ok = { code: null, fix: null, field: null, docs: null, details: {} };
  expect(
    readable({
      ping: {
        up: true,
        status: 200,
        reason: 'OK',
        rttMs: 18,
        error: null,
        at: '2026-01-05T09:10:00.000Z',
        target: 'sip:sip.carrier.example:5060;transport=udp',
      },
      checkup: [
        { check: 'DNS', result: 'OK', text: 'The host is the address 198.41.0.4.', ...ok },
        { check: 'OUR_ADDRESS', result: 'SKIPPED', text: 'There was no response.', ...ok },
        {
          check: 'SOURCES',
          result: 'FAILED',
          text: 'The trunk has no source addresses, so it receives no calls.',
          code: 'no_sources',
          fix: 'List every signalling address from which the carrier sends calls.',
          field: 'inbound_source_cidrs',
          docs: '/docs/failures#no-sources',
          details: {},
        },
      ],
    }).split('\n'),
  ).toEqual([
    'sip:sip.carrier.example:5060;transport=udp is up (200, 18 ms)',
    '',
    'DNS          ok       The host is the address 198.41.0.4.',
    'our address  -        There was no response.',
    'sources      failed   The trunk has no source addresses, so it receives no calls.',
    '                      List every signalling address from which the carrier sends calls. /docs/failures#no-sources',
  ]);
});
