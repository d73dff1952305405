/**
 * Converts a failed parse to a 400 that names the first invalid field by its path as sent (`members[2].priority`). Parse with
 * `reportInput`, so that a missing field is distinguished from an invalid one.
 */
import type { z } from 'zod';
import { invalidField, malformed } from '../../errors.ts';
import type { ApiError } from '../../errors.ts';

/** `['members', 2, 'priority']` → `members[2].priority`. */
export const fieldPath = (path: readonly PropertyKey[]): string =>
  path.reduce<string>(
    (text, step) => (typeof step === 'number' ? `${text}[${step}]` : `${text}${text && '.'}${String(step)}`),
    '',
  );

export function fieldError(error: z.ZodError): ApiError {
  const [issue] = error.issues;
  if (!issue || issue.path.length === 0) return malformed('The request body must be a JSON object.');
  const field = fieldPath(issue.path);
  return invalidField(field, `${field} ${issueMessage(issue)}.`);
}

/** The error message for a value, to be preceded by the field's name. */
export function issueMessage(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'is required';
      return `must be ${nameOf(issue.expected)}`;
    case 'too_small':
      return `must be at least ${issue.minimum}${countable(issue.origin)}`;
    case 'too_big':
      return `must be at most ${issue.maximum}${countable(issue.origin)}`;
    case 'invalid_value':
      if (issue.input === undefined) return 'is required';
      return `must be ${issue.values.map(String).join(', ')}`.replace(/, ([^,]*)$/, ' or $1');
    case 'invalid_union':
      if (issue.input === undefined) return 'is required';
      return issue.message.startsWith('must') ? issue.message : 'is invalid';
    case 'custom':
      return issue.message;
    case 'invalid_format':
      return issue.message.startsWith('must') ? issue.message : 'is not in the expected format';
    default:
      return 'is invalid';
  }
}

const article = (noun: string) => `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
function nameOf(expected: string): string {
  if (expected === 'int') return 'a whole number';
  if (expected === 'array') return 'a list';
  return article(expected === 'record' ? 'object' : expected);
}
const countable = (origin: string) =>
  origin === 'string' ? ' characters' : origin === 'array' ? ' entries' : '';
