import type { Metadata } from 'next';
import Link from 'next/link';
import { notFound } from 'next/navigation.js';
import { docs, pathOfPage, renderedPage } from '#lib/docs.ts';
import { pathRef } from '#lib/session/path-ref.ts';

export const dynamic = 'force-dynamic';

interface DocsPageProps {
  params: Promise<{ name?: string[] }>;
}

async function pageOf(params: DocsPageProps['params']) {
  const { name = [] } = await params;
  return docs().read(name.map(pathRef).join('/'));
}

export async function generateMetadata({ params }: DocsPageProps): Promise<Metadata> {
  const page = await pageOf(params);
  if (!page) return {};
  return {
    title: page.title,
    description: page.summary,
    alternates: { canonical: pathOfPage(page.name), types: { 'text/markdown': `/docs/${page.name}.md` } },
  };
}

export default async function DocsPage({ params }: DocsPageProps) {
  const page = await pageOf(params);
  if (!page) notFound();
  const { html, outline } = renderedPage(page);
  const { pages } = docs();
  const at = pages.indexOf(page);
  const [before, after] = [pages[at - 1], pages[at + 1]];
  return (
    <>
      <main id="content" tabIndex={-1} className="doc-main">
        <article className="doc-article" dangerouslySetInnerHTML={{ __html: html }} />
        <footer className="doc-footer">
          <nav aria-label="Next and previous page" className="doc-turn">
            {before && (
              <Link href={pathOfPage(before.name)} rel="prev">
                <span>Previous</span>
                {before.title}
              </Link>
            )}
            {after && (
              <Link href={pathOfPage(after.name)} rel="next">
                <span>Next</span>
                {after.title}
              </Link>
            )}
          </nav>
          <a href={`/docs/${page.name}.md`}>This page as Markdown</a>
        </footer>
      </main>
      <div className="doc-outline">
        {outline.length > 1 && (
          <nav aria-label="On this page">
            <p>On this page</p>
            <ul>
              {outline.map(({ id, text, depth }) => (
                <li key={id} data-depth={depth}>
                  <a href={`#${id}`}>{text}</a>
                </li>
              ))}
            </ul>
          </nav>
        )}
      </div>
    </>
  );
}
