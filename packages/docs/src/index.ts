/**
 * The documentation: handwritten guides, a reference generated from the registry, and the changelog. The web pages, the Markdown
 * files and the assistant's docs tools all use these pages.
 */
import { changelogPage } from './changelog.ts';
import { contentPages } from './content.ts';
import type { Deployment, DocPage, SearchHit } from './page.ts';
import { sections } from './page.ts';
import { referencePages } from './reference/index.ts';
import { createSearch } from './search.ts';
import { nearestNames } from './suggest.ts';

export type { Deployment, DocPage, SearchHit, Section } from './page.ts';
export { sections } from './page.ts';

const DEFAULT_SEARCH_LIMIT = 8;
/** Longer than any page name. The endpoint is public, so the rest of a longer name is ignored. */
const NAME_MAX_CHARS = 200;

export interface Docs {
  /** In reading order. */
  pages: readonly DocPage[];
  /** Ignores case, a leading `/docs/` or the whole base URL, and `.md`. */
  read(name: string): DocPage | null;
  search(query: string, limit?: number): SearchHit[];
  /** The page names most similar to an unknown name, best first. */
  suggest(name: string): string[];
}

export function createDocs(options: Deployment): Docs {
  const guides = contentPages(options);
  const unsorted = [...guides, ...referencePages(options, guides), changelogPage(options)];
  // The sort is stable: pages keep their reading order within a section.
  const pages = unsorted.toSorted((a, b) => sections.indexOf(a.section) - sections.indexOf(b.section));
  const byName = new Map(pages.map((page) => [page.name, page]));
  let search: ReturnType<typeof createSearch> | undefined;
  return {
    pages,
    read: (name) => byName.get(plainName(name, options.baseUrl)) ?? null,
    search: (query, limit = DEFAULT_SEARCH_LIMIT) => (search ??= createSearch(pages))(query, limit),
    suggest: (name) => nearestNames(plainName(name, options.baseUrl), pages),
  };
}

/** `/docs/Guides/Webhooks.md#envelope` → `guides/webhooks`. */
function plainName(name: string, baseUrl: string): string {
  const trimmed = name.trim();
  const path = trimmed.startsWith(baseUrl) ? trimmed.slice(baseUrl.length) : trimmed;
  const plain = path
    .slice(0, NAME_MAX_CHARS)
    .toLowerCase()
    .replace(/[?#].*$/, '')
    .replace(/^\/+|\/+$/g, '')
    .replace(/^docs(\/|$)/, '')
    .replace(/\.md$/, '');
  return plain === '' ? 'index' : plain;
}
