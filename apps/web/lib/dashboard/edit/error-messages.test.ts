import { expect, test } from 'vitest';
import { RequestProblem } from '../request.ts';
import { formErrors } from './error-messages.ts';

const refusal = (field: string | undefined, message: string) =>
  new RequestProblem(message, {
    status: 400,
    code: 'invalid_request',
    ...(field !== undefined && { details: { field } }),
  });

test('an error is shown at its field, without repeating the field name', () => {
  const problem = refusal('members[2].priority', 'members[2].priority must be at least 1.');
  expect(formErrors(problem, () => true)).toEqual({ 'members[2].priority': 'Must be at least 1.' });
});

test('an error in part of a field is shown at the form control of the field', () => {
  const problem = refusal('members[2].skills[1]', 'members[2].skills[1] is already in the list.');
  expect(formErrors(problem, (field) => field === 'members[2].skills')).toEqual({
    'members[2].skills': 'Is already in the list.',
  });
});

test('an error of a field that the form does not have is shown above the form', () => {
  expect(formErrors(refusal('hidden', 'hidden is required.'), () => false)).toEqual({
    '': 'hidden is required.',
  });
  expect(formErrors(refusal(undefined, 'No.'), () => true)).toEqual({ '': 'No.' });
});

test('an in_use error names what uses the resource', () => {
  const problem = new RequestProblem('Something still uses this.', {
    status: 409,
    code: 'in_use',
    details: { usedBy: ['line main', 'queue sales'] },
  });
  expect(formErrors(problem, () => true)).toEqual({ '': 'Still used by line main, queue sales.' });
});

test('any other error is rethrown', () => {
  expect(() => formErrors(new TypeError('bug'), () => true)).toThrow('bug');
});
