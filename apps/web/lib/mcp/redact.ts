/** Masks secrets in tool results: fields with the name of a secret, at any depth (docs/requirements.md#assistant-endpoint, 2). */

export const REDACTED = '[redacted]';

/** Masked completely unless the value is a flag: `secretSet` and `hasCredentials` only say whether there is one. */
const SECRET =
  /secret|password|passwd|token|(?<!push)credentials?$|authorization|private_?key|key_?p8|service_?account|signature/i;
/** An API key is a string; a resource of that name only identifies the key. */
const API_KEY = /api_?key$/i;

export function redact(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redact);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, isSecret(name, inner) ? REDACTED : redact(inner)]),
  );
}

function isSecret(name: string, value: unknown): boolean {
  if (value === null || typeof value === 'boolean') return false;
  return (SECRET.test(name) && !isResourceName(name)) || (API_KEY.test(name) && typeof value === 'string');
}

/** Push tokens and push credentials are resources whose secrets the API never returns, so only their fields are checked. */
const isResourceName = (name: string): boolean => /^push(Tokens?|Credentials)$/.test(name);
