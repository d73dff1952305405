import { RequestProblem } from '../request.ts';

/**
 * The ref that something new gets, as it is kept. A PUT under the ref of something that exists would replace it: whoever meant to
 * create is told instead.
 * @throws RequestProblem for `field`
 */
export function newRef(field: string, typed: string, taken: readonly string[]): string {
  const ref = typed.trim();
  const refuse = (message: string, status: 400 | 409) =>
    new RequestProblem(message, {
      status,
      code: status === 409 ? 'exists' : 'invalid_request',
      details: { field },
    });
  if (ref === '') throw refuse('Enter a ref.', 400);
  // URLs resolve these as relative segments, encoded or not.
  if (ref === '.' || ref === '..') throw refuse('A ref cannot consist of dots only.', 400);
  if (taken.includes(ref)) throw refuse('This ref is taken. Choose another.', 409);
  return ref;
}
