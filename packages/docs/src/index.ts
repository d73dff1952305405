/**
 * The documentation: guides written by hand, a reference generated from the registry, the changelog. Web pages, Markdown and the
 * assistant's docs tools read the same pages from here.
 */
import { changelogPage } from './changelog.ts';
import { contentPages } from './content.ts';
import type { DocPage, Place, SearchHit } from './page.ts';
import { sections } from './page.ts';
import { referencePages } from './reference/index.ts';
import { createSearch } from './search.ts';
import { nearestNames } from './suggest.ts';

export type { DocPage, Place, SearchHit, Section } from './page.ts';
export { sections } from './page.ts';

const DEFAULT_SEARCH_LIMIT = 8;
/** Longer than any name of a page. Anybody may ask, so what is beyond costs nothing: it is not read. */
const NAME_MAX_CHARS = 200;

export interface Docs {
  /** In reading order. */
  pages: readonly DocPage[];
  /** Forgives case, a leading `/docs/` or whole address, and `.md`. */
  read(name: string): DocPage | null;
  search(words: string, limit?: number): SearchHit[];
  /** The names nearest to one that is no page, best first. */
  suggest(name: string): string[];
}

export function createDocs(options: Place): Docs {
  const guides = contentPages(options);
  const written = [...guides, ...referencePages(options, guides), changelogPage(options)];
  // The sort keeps the order within a section, which is the reading order.
  const pages = written.toSorted((a, b) => sections.indexOf(a.section) - sections.indexOf(b.section));
  const byName = new Map(pages.map((page) => [page.name, page]));
  let search: ReturnType<typeof createSearch> | undefined;
  return {
    pages,
    read: (name) => byName.get(plainName(name, options.baseUrl)) ?? null,
    search: (words, limit = DEFAULT_SEARCH_LIMIT) => (search ??= createSearch(pages))(words, limit),
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
