/** Which web pages may connect an agent: those of the account's allowed origins (docs/requirements.md#authentication). Pure. */

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * An account with allowed origins admits pages of these and of the service itself; an account without any admits every page. A native
 * app or a server sends no Origin header and is admitted by its token alone: only browsers are bound to send a true Origin.
 * @param baseUrl the service's own
 */
export function isAllowedOrigin(
  origin: string | undefined,
  allowed: readonly string[],
  baseUrl: string,
): boolean {
  if (origin === undefined || allowed.length === 0 || allowed.includes(origin)) return true;
  if (!URL.canParse(origin)) return false; // `null`, of a sandboxed frame or a file
  const [page, own] = [new URL(origin), new URL(baseUrl)];
  if (page.origin === own.origin) return true;
  // On a loopback interface the service has several names.
  const samePort = page.protocol === own.protocol && page.port === own.port;
  return samePort && LOOPBACK.has(page.hostname) && LOOPBACK.has(own.hostname);
}
