import { expect, test } from 'vitest';
import { isEditable, nextStep } from './trunk-status.ts';

const draft = {
  status: 'DRAFT' as const,
  inboundSourceCidrs: ['198.41.0.4'],
  reviewNote: null,
  submittedAt: '2026-01-05T09:00:00.000Z',
};

test.each([
  [{ ...draft, inboundSourceCidrs: [] }, { kind: 'add-sources' }],
  [draft, { kind: 'submit', rejected: null }],
  [
    { ...draft, reviewNote: 'Wrong.' },
    { kind: 'submit', rejected: 'Wrong.' },
  ],
  [
    { ...draft, status: 'PENDING' as const },
    { kind: 'wait', since: draft.submittedAt },
  ],
  [{ ...draft, status: 'DISABLED' as const }, { kind: 'enable' }],
  [{ ...draft, status: 'SUSPENDED' as const }, { kind: 'contact-operator' }],
  [{ ...draft, status: 'ACTIVE' as const }, { kind: 'create-line' }],
])('the next step of %j is %j', (trunk, step) => {
  expect(nextStep(trunk, 'APPROVAL', 0)).toEqual(step);
});

test('an active trunk with lines, or with lines that are not known yet, asks for nothing', () => {
  expect(nextStep({ ...draft, status: 'ACTIVE' }, 'AUTO', 1)).toEqual({ kind: 'none' });
  expect(nextStep({ ...draft, status: 'ACTIVE' }, 'AUTO', undefined)).toEqual({ kind: 'none' });
});

test('without self-service, the operator is the one to ask, and nothing can be edited', () => {
  for (const status of ['DRAFT', 'DISABLED'] as const) {
    expect(nextStep({ ...draft, status }, 'OFF', 0)).toEqual({ kind: 'contact-operator' });
  }
  expect(isEditable({ status: 'ACTIVE' }, 'OFF')).toBe(false);
  expect(isEditable({ status: 'SUSPENDED' }, 'AUTO')).toBe(false);
  expect(isEditable({ status: 'ACTIVE' }, 'APPROVAL')).toBe(true);
});
