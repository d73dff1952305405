import { expect, test } from 'vitest';
import { RequestProblem } from '../request.ts';
import { assertComplete, bodyOf, draftOf, emptyEntry, entryErrors, prefixOf } from './entry-draft.ts';

const entry = {
  id: 1001,
  prefix: '4420',
  destination: null,
  rate: '0.012',
  initialSeconds: 60,
  incrementSeconds: 1,
  connectionFee: '0',
  effectiveFrom: '2026-01-05T00:00:00.000Z',
  effectiveTo: null,
};

test('a price that is only looked at would be sent as it is', () => {
  expect(bodyOf(draftOf(entry))).toEqual({
    destination: null,
    rate: '0.012',
    initial_seconds: 60,
    increment_seconds: 1,
    connection_fee: '0',
  });
});

test('a decimal comma is understood, and cleared fields have the defaults', () => {
  const draft = { ...draftOf(entry), rate: ' 0,05 ', initialSeconds: '', connectionFee: '' };
  expect(bodyOf(draft)).toEqual({ destination: null, rate: '0.05', increment_seconds: 1 });
});

test('separators of a pasted prefix are removed', () => {
  expect(prefixOf('+44 (20) 79-46')).toBe('+44207946');
  expect(prefixOf('0044')).toBe('44');
});

test.each([
  [emptyEntry, true, 'prefix'],
  [{ ...draftOf(entry), rate: '' }, false, 'rate'],
  [{ ...draftOf(entry), initialSeconds: '1.5' }, false, 'initial_seconds'],
  [{ ...draftOf(entry), incrementSeconds: 'one' }, false, 'increment_seconds'],
])('what is missing is named at its field', (draft, isNew, field) => {
  expect(() => assertComplete(draft, { isNew })).toThrow(
    expect.objectContaining({ details: { field } }) as Error,
  );
});

test('a complete price is accepted', () => {
  expect(() => assertComplete(draftOf(entry), { isNew: false })).not.toThrow();
});

test.each([
  ['unchanged', 400, undefined, 'rate'],
  ['ended', 409, undefined, 'rate'],
  ['exists', 409, 'prefix', 'prefix'],
  ['invalid_request', 400, 'initial_seconds', 'initial_seconds'],
  ['invalid_request', 400, 'something_else', ''],
] as const)('%s (%i, field %s) is shown at %s', (code, status, field, at) => {
  const problem = new RequestProblem('Rejected.', { status, code, ...(field && { details: { field } }) });
  expect(Object.keys(entryErrors(problem))).toEqual([at]);
});
