import type { NavGroup } from './AppShell.tsx';

/** The item that leads furthest towards the open address. */
export function currentHref(nav: readonly NavGroup[], current: string): string | undefined {
  return nav
    .flatMap(({ items }) => items.map(({ href }) => href))
    .filter((href) => current === href || current.startsWith(href.endsWith('/') ? href : `${href}/`))
    .toSorted((one, other) => other.length - one.length)[0];
}
