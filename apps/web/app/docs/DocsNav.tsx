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

/** Every page by section, the current one marked: beside the page, or as a `drawer` behind a button, for narrow windows. */
export function DocsNav({ sections, drawer = false }: { sections: NavSection[]; drawer?: boolean }) {
  const pathname = usePathname();
  const details = useRef<HTMLDetailsElement>(null);
  const side = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (details.current) details.current.open = false;
    // Where the reader is stays in sight, also when they came by a link or a search.
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
  // A key that changes with the page opens the group that the reader has come to, and leaves it to them afterwards.
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
