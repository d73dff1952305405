import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  applyPermission,
  currentPermission,
  TEMPORARY_PERMISSION_MS,
  unknownPermission,
} from './permission.ts';
import type { PermissionEvent, PermissionState } from './permission.ts';

const at = (minute: number) => new Date(1_750_000_000_000 + minute * 60_000);
const accept = (minute: number, more: Partial<Extract<PermissionEvent, { kind: 'replied' }>> = {}) =>
  ({
    kind: 'replied',
    at: at(minute),
    accepted: true,
    permanent: false,
    expiresAt: at(1_000),
    ...more,
  }) as const;
const reject = (minute: number) => accept(minute, { accepted: false, expiresAt: null });
const read = (minute: number, status: 'none' | 'temporary' | 'permanent') =>
  ({
    kind: 'read',
    at: at(minute),
    permission: {
      status,
      expiresAt: status === 'temporary' ? at(1_000) : null,
      canCall: null,
      canRequest: null,
    },
  }) as const;
const unanswered = (minute: number) => ({ kind: 'unanswered', at: at(minute) }) as const;
const fold = (...events: PermissionEvent[]): PermissionState =>
  events.reduce(applyPermission, unknownPermission);

describe('the permission of a customer', () => {
  test.each([
    ['nothing', [], 'UNKNOWN', false],
    ['a temporary grant', [accept(1)], 'TEMPORARY', true],
    ['a permanent grant', [accept(1, { permanent: true })], 'PERMANENT', true],
    ['a refusal', [reject(1)], 'DECLINED', false],
    ['a grant that is taken back', [accept(1), reject(2)], 'REVOKED', false],
    ['a grant after a refusal', [reject(1), accept(2)], 'TEMPORARY', true],
    ['a refused call', [{ kind: 'call-refused', at: at(1) }], 'NONE', false],
    ['a refused call after a grant', [accept(1), { kind: 'call-refused', at: at(2) }], 'REVOKED', false],
    ['a record of Meta', [read(1, 'permanent')], 'PERMANENT', true],
    ['a record of Meta without one', [read(1, 'none')], 'NONE', false],
    ['a record of Meta without one, after a refusal', [reject(1), read(2, 'none')], 'DECLINED', false],
    [
      'a grant in the second in which the record of Meta was read',
      [{ ...read(1, 'none'), at: new Date(at(1).getTime() + 400) }, accept(1)],
      'TEMPORARY',
      true,
    ],
    ['a record of Meta without one, after a grant', [accept(1), read(2, 'none')], 'REVOKED', false],
    [
      'a refused call after an expired grant',
      [accept(1, { expiresAt: at(2) }), { kind: 'call-refused', at: at(3) }],
      'EXPIRED',
      false,
    ],
    ['three unanswered calls', [accept(1), ...[2, 3, 4].map(unanswered)], 'TEMPORARY', true],
    ['four unanswered calls', [accept(1), ...[2, 3, 4, 5].map(unanswered)], 'REVOKED', false],
    [
      'an answered call between unanswered ones',
      [accept(1), ...[2, 3, 4].map(unanswered), { kind: 'answered', at: at(5) }, unanswered(6)],
      'TEMPORARY',
      true,
    ],
  ] as [string, PermissionEvent[], string, boolean][])('after %s', (_, events, status, canCall) => {
    expect(currentPermission(fold(...events), at(10))).toEqual({ status, canCall });
  });

  test('expires at its time', () => {
    const state = fold(accept(1, { expiresAt: at(20) }));
    expect(currentPermission(state, at(19))).toEqual({ status: 'TEMPORARY', canCall: true });
    expect(currentPermission(state, at(20))).toEqual({ status: 'EXPIRED', canCall: false });
  });

  test('lasts a week if Meta does not say how long', () => {
    const { expiresAt } = fold(accept(1, { expiresAt: null }));
    expect(expiresAt?.getTime()).toBe(at(1).getTime() + TEMPORARY_PERMISSION_MS);
  });

  test('starts with no unanswered calls when it is granted again', () => {
    expect(fold(unanswered(1), unanswered(2), accept(3)).unansweredCalls).toBe(0);
  });
});

test('replies and records give the same permission in any order of arrival, each of them repeated', () => {
  const event = fc
    .record({ minute: fc.integer({ min: 1, max: 100 }), kind: fc.constantFrom('temporary', 'permanent') })
    .map(({ minute, kind }) => (kind === 'temporary' ? accept(minute) : read(minute, 'permanent')));
  const distinct = fc.uniqueArray(event, { selector: (one) => one.at.getTime(), minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(
      distinct.chain((events) =>
        fc.tuple(
          fc.constant(events),
          fc.shuffledSubarray([...events, ...events], { minLength: events.length * 2 }),
        ),
      ),
      ([events, arrived]) => {
        const sorted = events.toSorted((a, b) => a.at.getTime() - b.at.getTime());
        expect(fold(...arrived)).toEqual(fold(...sorted));
      },
    ),
  );
});
