const HOME = '/app';
const SIGN_IN = '/app/sign-in';

/** The requested page of the dashboard, which the proxy passes to the page. Read only through `pageAfter`. */
export const ASKED_PAGE_HEADER = 'x-clarion-page';

/** Where to go after signing in: always a page of the dashboard, whatever the URL contains. */
export function pageAfter(asked: string | string[] | undefined | null): string {
  if (typeof asked !== 'string' || !URL.canParse(asked, 'http://here.invalid')) return HOME;
  const { origin, pathname, search } = new URL(asked, 'http://here.invalid');
  const isOurs = origin === 'http://here.invalid' && (pathname === HOME || pathname.startsWith(`${HOME}/`));
  return isOurs ? pathname + search : HOME;
}

/** The sign-in page, which continues to the requested page. */
export function signInAddress(asked: string | null): string {
  const next = pageAfter(asked);
  return next === HOME || next.startsWith(SIGN_IN) ? SIGN_IN : `${SIGN_IN}?${new URLSearchParams({ next })}`;
}
