import { sections } from '@clarion/docs';
import type { Metadata } from 'next';
import Link from 'next/link';
import type { ReactNode } from 'react';
import { nouns } from '@clarion/docs/nouns';
import { docs, pathOfPage } from '#lib/docs.ts';
import './docs.css';
import { DocsActions } from './DocsActions.tsx';
import { DocsNav } from './DocsNav.tsx';
import type { NavSection } from './DocsNav.tsx';
import { DocsSearch } from './DocsSearch.tsx';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: { default: 'Documentation', template: '%s · Clarion' } };

/** What the left side lists: the sections; in the reference, one group per noun. */
function navigation(): NavSection[] {
  const { pages } = docs();
  const link = ({ name, title, planned }: (typeof pages)[number]) => ({
    href: pathOfPage(name),
    title,
    planned,
  });
  return sections.map((section) => {
    const mine = pages.filter((page) => page.section === section);
    const groups = nouns
      .map(({ slug, title }) => ({ title, links: mine.filter(({ group }) => group === slug).map(link) }))
      .filter(({ links }) => links.length > 0);
    return { title: section, links: mine.filter(({ group }) => group === null).map(link), groups };
  });
}

export default function DocsLayout({ children }: { children: ReactNode }) {
  const nav = navigation();
  return (
    <div className="doc-root">
      <a href="#content" className="doc-skip">
        Skip to content
      </a>
      <header className="doc-header">
        <DocsNav sections={nav} drawer />
        <Link href="/docs" className="doc-brand">
          Clarion <span>Docs</span>
        </Link>
        <DocsSearch />
        <nav aria-label="Machine-readable formats" className="doc-header-links">
          <a href="/openapi.json">OpenAPI</a>
          <a href="/llms.txt">llms.txt</a>
        </nav>
      </header>
      <div className="doc-frame">
        <DocsNav sections={nav} />
        {children}
      </div>
      <DocsActions />
    </div>
  );
}
