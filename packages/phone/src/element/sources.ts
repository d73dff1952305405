/** Requests to the embedding product's backend, at the URLs in the element's attributes. */

/** Fetches `{ token }` from the URL, with the page's cookies. @throws Error with a message for the agent */
export async function tokenFrom(address: string): Promise<string> {
  const answer = await ask(address, {}, 'The phone could not sign you in');
  if (typeof answer['token'] === 'string') return answer['token'];
  throw new Error('The phone could not sign you in: the response contains no token.');
}

/** POSTs `{ line, to }` and returns the `callId` of the response. @throws Error with a message for the agent */
export async function callFrom(address: string, line: string, to: string): Promise<number> {
  const init = {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ line, to }),
  };
  const answer = await ask(address, init, 'The call could not be placed');
  if (typeof answer['callId'] === 'number') return answer['callId'];
  throw new Error('The call could not be placed: the response contains no callId.');
}

/** The message of an error comes from `{ error: "…" }` or `{ error: { message: "…" } }`. */
async function ask(address: string, init: RequestInit, failure: string): Promise<Record<string, unknown>> {
  let response: Response;
  try {
    response = await fetch(address, {
      credentials: 'include',
      cache: 'no-store',
      ...init,
      headers: { Accept: 'application/json', ...init.headers },
    });
  } catch (cause) {
    throw new Error(`${failure}: there is no connection.`, { cause });
  }
  const body: unknown = await response.json().catch(() => null);
  const answer = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  if (response.ok) return answer;
  throw new Error(messageOf(answer['error']) ?? `${failure} (${response.status}).`);
}

function messageOf(error: unknown): string | null {
  if (typeof error === 'string') return error;
  if (typeof error === 'object' && error !== null && 'message' in error) return String(error.message);
  return null;
}
