/** Requests of pages on behalf of a user who is not signed in. */
import type { ErrorDetails } from '@clarion/protocol/errors';
import { SESSION_HEADER } from '../api/session-header.ts';

/** Error messages by field; a message without a field is under `''`. */
export type AccessErrors = Record<string, string>;
export type AccessResponse<T> = { data: T } | { errors: AccessErrors; code: string };

const UNREACHABLE = 'The service could not be reached. Check the connection and try again.';

export async function requestAccess<T>(
  what: 'forgot-password' | 'read-link' | 'set-password',
  body: Record<string, string>,
): Promise<AccessResponse<T>> {
  try {
    const response = await fetch(`/app/api/access/${what}`, {
      method: 'POST',
      headers: { [SESSION_HEADER]: '1', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    const data: unknown = text === '' ? undefined : JSON.parse(text);
    if (response.ok) return { data: data as T };
    const { error } = data as { error: { code: string; message: string; details?: ErrorDetails } };
    return { errors: { [error.details?.field ?? '']: error.message }, code: error.code };
  } catch {
    return { errors: { '': UNREACHABLE }, code: 'unreachable' };
  }
}
