/** Signs in from a page: requests next-auth's CSRF token first, then sends the credentials. */
import { SESSION_HEADER } from '../api/session-header.ts';
import { signInErrorMessage } from './sign-in-errors.ts';

const AUTH = '/app/api/auth';

export type SignInOutcome = { ok: true } | { ok: false; why: string; words: string };

export async function signIn(
  provider: 'password' | 'after-link' | 'launch',
  proof: Record<string, string>,
): Promise<SignInOutcome> {
  try {
    const response = await post(`callback/${provider}`, proof);
    if (response.ok) return { ok: true };
    const { url } = (await response.json()) as { url?: string };
    const why = new URL(url ?? '/', location.href).searchParams.get('error') ?? 'unknown';
    return { ok: false, why, words: signInErrorMessage(why) };
  } catch {
    const words = 'The service could not be reached. Check the connection and try again.';
    return { ok: false, why: 'unreachable', words };
  }
}

export async function post(action: string, fields: Record<string, string>): Promise<Response> {
  const headers = { [SESSION_HEADER]: '1' };
  const asked = await fetch(`${AUTH}/csrf`, { headers, cache: 'no-store' });
  const { csrfToken } = (await asked.json()) as { csrfToken: string };
  return fetch(`${AUTH}/${action}`, {
    method: 'POST',
    headers,
    body: new URLSearchParams({ ...fields, csrfToken, json: 'true' }),
  });
}
