import type { NavGroup } from './AppShell.tsx';

/**
 * The item whose path is the longest prefix of the current path. The home item, a prefix of all others, must match exactly: a page
 * without an item does not belong to it.
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
