/** Messages for errors of the service, for forms and notices. */
import { RequestProblem } from '../request.ts';

/** Removes the field name from "address must be a phone number." or "address: in use.", which is shown at that field. */
export function withoutFieldName(message: string, field: string): string {
  if (message.startsWith(`${field}: `)) return message.slice(field.length + 2);
  if (!message.startsWith(`${field} `)) return message;
  const rest = message.slice(field.length + 1);
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

/** For `<Form errors>`; `''` is shown above all fields. `isShown`: whether the form has a field of that name. */
export function formErrors(problem: unknown, isShown: (field: string) => boolean): Record<string, string> {
  if (!(problem instanceof RequestProblem)) throw problem;
  const named = problem.details?.field ?? '';
  for (let field = named; field !== ''; field = around(field)) {
    if (isShown(field)) return { [field]: withoutFieldName(problem.message, named) };
  }
  return { '': problemMessage(problem) };
}

/** `members[2].skills[0]` → `members[2].skills` → `members[2]` → `members`. */
const around = (field: string): string => field.replace(/(\[\d+\]|(^|\.)[^.[\]]*)$/, '');

/** One sentence, with what to do about the error if possible. */
export function problemMessage(problem: RequestProblem): string {
  const { code, message, details } = problem;
  if (code === 'in_use' && details?.usedBy) return `Still used by ${details.usedBy.join(', ')}.`;
  if (code === 'unauthorized') return 'Your session has expired. Sign in again.';
  return message;
}
