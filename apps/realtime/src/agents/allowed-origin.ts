/** Which web pages may connect an agent (docs/requirements.md#authentication). Pure. */

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * An account that names origins lets in pages of these and of the service itself; one that names none lets in every page. A native app
 * or a server sends no Origin: its token alone decides, as browsers alone tell the truth about where they are.
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
  // On one's own machine the service has several names.
  const sameDoor = page.protocol === own.protocol && page.port === own.port;
  return sameDoor && LOOPBACK.has(page.hostname) && LOOPBACK.has(own.hostname);
}
