import { RequestProblem } from '../request.ts';

/** A PUT under the ref of something that exists would replace it: whoever meant to create is told instead. */
export function refuseTaken(field: string, ref: string, taken: readonly string[]): void {
  if (!taken.includes(ref.trim())) return;
  throw new RequestProblem('This ref is taken. Choose another.', {
    status: 409,
    code: 'exists',
    details: { field },
  });
}
