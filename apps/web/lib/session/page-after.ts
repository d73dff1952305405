const HOME = '/app';
const SIGN_IN = '/app/sign-in';

/** Which page of the dashboard was asked for, as the proxy tells the page. Only ever read through `pageAfter`. */
export const ASKED_PAGE_HEADER = 'x-clarion-page';

/** Where to go after signing in: a page of the dashboard, whatever the address claims. */
export function pageAfter(asked: string | string[] | undefined | null): string {
  if (typeof asked !== 'string' || !URL.canParse(asked, 'http://here.invalid')) return HOME;
  const { origin, pathname, search } = new URL(asked, 'http://here.invalid');
  const isOurs = origin === 'http://here.invalid' && (pathname === HOME || pathname.startsWith(`${HOME}/`));
  return isOurs ? pathname + search : HOME;
}

/** The sign-in page that leads on to the page that was asked for. */
export function signInAddress(asked: string | null): string {
  const next = pageAfter(asked);
  return next === HOME || next.startsWith(SIGN_IN) ? SIGN_IN : `${SIGN_IN}?${new URLSearchParams({ next })}`;
}
