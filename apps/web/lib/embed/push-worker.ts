/** Web push in the service's own pages. */

/** The service worker of the phone, which the SDK's build puts among the public files. */
export const PUSH_WORKER_PATH = '/embed/push-worker.js';

/** The page with the phone that a click on a notification opens; null unless it belongs to an origin that may embed the phone. */
export function phonePage(
  asked: string | string[] | undefined,
  allowedOrigins: readonly string[],
): string | null {
  const url = typeof asked === 'string' ? URL.parse(asked) : null;
  return url && allowedOrigins.includes(url.origin) ? url.href : null;
}
