const HOME = '/app';

/** Where to go after signing in: a page of the dashboard, whatever the address claims. */
export function pageAfter(asked: string | string[] | undefined): string {
  if (typeof asked !== 'string' || !URL.canParse(asked, 'http://here.invalid')) return HOME;
  const { origin, pathname, search } = new URL(asked, 'http://here.invalid');
  const isOurs = origin === 'http://here.invalid' && (pathname === HOME || pathname.startsWith(`${HOME}/`));
  return isOurs ? pathname + search : HOME;
}
