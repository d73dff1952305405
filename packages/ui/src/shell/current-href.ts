import type { NavGroup } from './AppShell.tsx';

/**
 * The item that leads furthest towards the open address. One that all others lie below (home) is only itself: a page without an
 * item of its own is not a part of it.
 */
export function currentHref(nav: readonly NavGroup[], current: string): string | undefined {
  const hrefs = nav.flatMap(({ items }) => items.map(({ href }) => href));
  const below = (path: string, href: string) => path.startsWith(href.endsWith('/') ? href : `${href}/`);
  const isHome = (href: string) =>
    hrefs.length > 1 && hrefs.every((other) => other === href || below(other, href));
  return hrefs
    .filter((href) => current === href || (below(current, href) && !isHome(href)))
    .toSorted((one, other) => other.length - one.length)[0];
}
