/** The page that a click on a notification opens: stored by the page that turned web push on, never taken from a push notification. */

const CACHE = 'clarion-web-push';
/** Cache entries have URLs as keys; this one is never requested. */
const keyIn = (scope: string) => new URL('clarion-phone-url', scope).href;

/** @param scope of the service worker's registration */
export async function keepPhoneUrl(scope: string, url: string): Promise<void> {
  const cache = await caches.open(CACHE);
  await cache.put(keyIn(scope), new Response(url));
}

export async function forgetPhoneUrl(scope: string): Promise<void> {
  await (await caches.open(CACHE)).delete(keyIn(scope));
}

/** The start page of the origin if there is no entry, for example because the page deletes caches that it does not know. */
export async function readPhoneUrl(scope: string): Promise<string> {
  const entry = await (await caches.open(CACHE)).match(keyIn(scope));
  const url = (await entry?.text()) ?? '';
  return isPageUrl(url) ? url : new URL('/', scope).href;
}

/** @param url as the browser writes it */
export const isPageUrl = (url: string): boolean => /^https?:\/\//.test(url);

/** The open page with the phone; null: none. A page that shows the phone in a frame of the service has such a frame. Pure. */
export function pageToFocus<T extends { url: string }>(open: readonly T[], phoneUrl: string): T | null {
  const withoutQuery = (url: string) => {
    const { origin, pathname } = new URL(url);
    return origin + pathname;
  };
  return (
    open.find(({ url }) => url === phoneUrl) ??
    open.find(({ url }) => withoutQuery(url) === withoutQuery(phoneUrl)) ??
    open.find(({ url }) => new URL(url).pathname.startsWith('/embed/phone/')) ??
    null
  );
}
