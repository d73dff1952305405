import { expect, test } from 'vitest';
import { RequestProblem } from '../request.ts';
import { formErrors } from './error-messages.ts';

const refusal = (field: string | undefined, message: string) =>
  new RequestProblem(message, {
    status: 400,
    code: 'invalid_request',
    ...(field !== undefined && { details: { field } }),
  });

test('a refusal lands on the field that it names, without naming it twice', () => {
  const problem = refusal('members[2].priority', 'members[2].priority must be at least 1.');
  expect(formErrors(problem, () => true)).toEqual({ 'members[2].priority': 'Must be at least 1.' });
});

test('a part of a field that is one box lands on the box', () => {
  const problem = refusal('members[2].skills[1]', 'members[2].skills[1] is already in the list.');
  expect(formErrors(problem, (field) => field === 'members[2].skills')).toEqual({
    'members[2].skills': 'Is already in the list.',
  });
});

test('a refusal of what the form does not show stands above the form', () => {
  expect(formErrors(refusal('hidden', 'hidden is required.'), () => false)).toEqual({
    '': 'hidden is required.',
  });
  expect(formErrors(refusal(undefined, 'No.'), () => true)).toEqual({ '': 'No.' });
});

test('what is in use is told by whom', () => {
  const problem = new RequestProblem('Something still uses this.', {
    status: 409,
    code: 'in_use',
    details: { usedBy: ['line main', 'queue sales'] },
  });
  expect(formErrors(problem, () => true)).toEqual({ '': 'Still used by line main, queue sales.' });
});

test('what is no refusal is thrown on', () => {
  expect(() => formErrors(new TypeError('bug'), () => true)).toThrow('bug');
});
