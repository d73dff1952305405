'use client';

import { scrollIntoSight } from '@clarion/ui/scroll-into-sight';
import Link from 'next/link';
import { usePathname } from 'next/navigation.js';
import { useEffect, useRef } from 'react';

export interface NavLink {
  href: string;
  title: string;
  planned: boolean;
}
export interface NavSection {
  title: string;
  links: NavLink[];
  groups: { title: string; links: NavLink[] }[];
}

/** All pages by section with the current one marked: next to the page, or in a `drawer` in narrow windows. */
export function DocsNav({ sections, drawer = false }: { sections: NavSection[]; drawer?: boolean }) {
  const pathname = usePathname();
  const details = useRef<HTMLDetailsElement>(null);
  const side = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (details.current) details.current.open = false;
    // Keeps the current page in view, also after following a link or a search result.
    const item = side.current?.querySelector('[aria-current=page]');
    if (side.current && item) scrollIntoSight(side.current, item);
  }, [pathname]);

  const list = (
    <nav aria-label={drawer ? 'All pages' : 'Documentation'} className="doc-nav">
      {sections.map(({ title, links, groups }) => (
        <section key={title}>
          <h2>{title}</h2>
          <Links links={links} current={pathname} />
          {groups.map((group) => (
            <Group key={group.title} {...group} current={pathname} />
          ))}
        </section>
      ))}
    </nav>
  );
  if (!drawer) {
    return (
      <div className="doc-side" ref={side}>
        {list}
      </div>
    );
  }
  return (
    <details className="doc-drawer" ref={details}>
      <summary aria-label="Menu">
        <svg viewBox="0 0 20 20" aria-hidden>
          <path d="M3 5.5h14M3 10h14M3 14.5h14" />
        </svg>
      </summary>
      {list}
    </details>
  );
}

function Group({ title, links, current }: { title: string; links: NavLink[]; current: string }) {
  const here = links.some(({ href }) => href === current);
  // The key changes with the page, so that its group opens; the reader can then close it.
  return (
    <details key={String(here)} open={here} className="doc-group">
      <summary>{title}</summary>
      <Links links={links} current={current} />
    </details>
  );
}

function Links({ links, current }: { links: NavLink[]; current: string }) {
  return (
    <ul>
      {links.map(({ href, title, planned }) => (
        <li key={href}>
          <Link href={href} prefetch={false} aria-current={href === current ? 'page' : undefined}>
            {title}
            {planned && <span className="doc-soon">Planned</span>}
          </Link>
        </li>
      ))}
    </ul>
  );
}
