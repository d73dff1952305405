import type { LegEnd } from '@clarion/protocol/media';
import { expect, test } from 'vitest';
import { forwardEndingOf } from './forward-ending.ts';

const end = (cause: LegEnd['cause'], sipStatus: number | null = null): LegEnd => ({
  ...{ cause, sipStatus, sipReason: null, q850: null, provisional: false },
  message: 'why',
});

test.each([
  ['busy', end('rejected', 486), 'CALLED', 486],
  ['declined', end('rejected', 603), 'CALLED', 603],
  ['redirected', end('rejected', 302), 'CALLED', 480],
  ['our credentials', end('rejected', 401), 'CALLED', 480],
  ['a proxy that wants ours', end('rejected', 407), 'CALLED', 480],
  ['a server error', end('rejected', 500), 'CALLED', 503],
  ['no answer', end('no-answer-local', 487), 'SYSTEM', 480],
  ['unreachable', end('unreachable'), 'SYSTEM', 503],
  ['a lost worker', end('media-error'), 'SYSTEM', 503],
] as const)('the called side: %s', (_, legEnd, endedBy, sipStatus) => {
  expect(forwardEndingOf('out', legEnd)).toEqual({ endedBy, sipStatus, reason: 'why' });
});

test.each([
  ['hangs up', end('remote-bye'), 'CALLER'],
  ['cancels', end('remote-cancel'), 'CALLER'],
  ['is silent', end('rtp-timeout'), 'SYSTEM'],
] as const)('the caller %s', (_, legEnd, endedBy) => {
  expect(forwardEndingOf('in', legEnd)).toMatchObject({ endedBy, sipStatus: 487 });
});
