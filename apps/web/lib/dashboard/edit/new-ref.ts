import { RequestProblem } from '../request.ts';

/**
 * The ref of a new resource, normalised. A PUT with the ref of an existing resource would replace it, so that is an error here.
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
