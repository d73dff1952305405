import { describe, expect, test } from 'vitest';
import { kindOfGraphError, knownGraphErrorCodes, messageOfGraphError } from './graph-errors.ts';

const error = (code: number | null, details: string | null = null) => ({
  code,
  subcode: null,
  message: 'Words of Meta',
  details,
});

describe('errors of Meta', () => {
  test.each([
    [138_006, 'permission'],
    [138_012, 'limit'],
    [138_000, 'line'],
    [138_021, 'media'],
    [190, 'credentials'],
    [299, 'credentials'],
    [100, 'request'],
    [999_999, 'platform'],
    [null, 'platform'],
  ] as const)('%s is about: %s', (code, kind) => {
    expect(kindOfGraphError({ code, subcode: null })).toBe(kind);
  });

  test('an unknown number is a matter of the line', () => {
    expect(kindOfGraphError({ code: 100, subcode: 33 })).toBe('line');
    expect(messageOfGraphError({ ...error(100), subcode: 33 })).toContain('provider_account_id');
  });

  test('Meta’s details are added where they say more', () => {
    expect(messageOfGraphError(error(138_012, 'Next call allowed at 12:00'))).toContain(
      'WhatsApp: Next call',
    );
    expect(messageOfGraphError(error(100))).toContain('Words of Meta');
    expect(messageOfGraphError(error(138_006, 'secret reason'))).not.toContain('secret');
    expect(messageOfGraphError({ ...error(999), message: '' })).toBe('WhatsApp reported an error.');
  });

  test('every message is a whole sentence', () => {
    expect(knownGraphErrorCodes.length).toBeGreaterThan(40);
    for (const code of knownGraphErrorCodes) {
      expect(messageOfGraphError({ ...error(code), message: '' }), String(code)).toMatch(
        /^[A-Z0-9].{15,}\.(com\.)?$/,
      );
    }
  });
});
