/** Full-text search over the sections of every page. Matches prefixes and tolerates typos; titles and headings weigh most. */
import MiniSearch from 'minisearch';
import type { DocPage, SearchHit } from './page.ts';
import { sectionsOf } from './sections.ts';
import type { PageSection } from './sections.ts';

const BOOST = { title: 4, heading: 4, summary: 2.5, name: 2, text: 1 };
/** A prefix or a misspelling counts for less than the exact word. */
const WEIGHTS = { prefix: 0.4, fuzzy: 0.25 };
/** Shorter words must match exactly. */
const FUZZY_FROM_CHARS = 4;
const FUZZY_SHARE = 0.2;
/** With equal scores, a guide comes before a reference page. The index page mentions everything, so it counts for little. */
const REFERENCE_SHARE = 0.6;
const FIRST_PAGE_SHARE = 0.3;
const PASSAGE_MAX_CHARS = 240;
/** Bounds the cost of a query: every term is also matched as a prefix and with typos. */
const MAX_TERMS = 16;

/** Words that do not help to find a page. */
const STOP_WORDS = new Set(
  'a an and are as at be by can do does for from get how i if in into is it its me mean my of on or our should that the their then there this to was we what when where which who why will with would you your'.split(
    ' ',
  ),
);

interface Indexed {
  id: number;
  title: string;
  heading: string;
  summary: string;
  name: string;
  text: string;
}
interface Entry {
  page: DocPage;
  section: PageSection;
}
interface Match extends Entry {
  queryTerms: string[];
  score: number;
}

export function createSearch(pages: readonly DocPage[]) {
  const entries: Entry[] = pages.flatMap((page) => sectionsOf(page).map((section) => ({ page, section })));
  const index = new MiniSearch<Indexed>({
    fields: ['title', 'heading', 'summary', 'name', 'text'],
    tokenize: termsOf,
    processTerm: stem,
    searchOptions: { boost: BOOST, prefix: (term) => term.length > 1, fuzzy: fuzziness, weights: WEIGHTS },
  });
  index.addAll(
    entries.map(({ page, section }, id) => ({
      id,
      title: page.title,
      heading: section.heading ?? '',
      // Indexed once per page, with its first section.
      summary: section.heading === null ? page.summary : '',
      name: page.name,
      text: section.text,
    })),
  );

  return (query: string, limit: number): SearchHit[] => {
    const terms = new Set(
      termsOf(query)
        .map(stem)
        .filter((term) => term !== null),
    );
    const asked = Math.min(terms.size, MAX_TERMS);
    const best = new Map<DocPage, Match>();
    // The terms are already stemmed and unique.
    const options = { tokenize: () => [...terms].slice(0, MAX_TERMS), processTerm: (term: string) => term };
    for (const { id, score, queryTerms } of index.search(query, options)) {
      const entry = entries[Number(id)];
      if (!entry) continue;
      const { page } = entry;
      // A section with every term of the query comes before one that repeats a single term.
      const weighed = score * (new Set(queryTerms).size / asked) ** 2 * shareOf(page);
      if ((best.get(page)?.score ?? 0) >= weighed) continue;
      best.set(page, { ...entry, queryTerms, score: weighed });
    }
    // Passages are extracted only for results that are shown: a query of many words matches nearly every section.
    return [...best.values()]
      .toSorted((a, b) => b.score - a.score)
      .slice(0, limit)
      .map(hitOf);
  };
}

const hitOf = ({ page, section: { heading, anchor, text }, queryTerms, score }: Match): SearchHit => ({
  page,
  passage: passageOf(text, queryTerms) ?? page.summary,
  heading,
  anchor,
  score,
});

const shareOf = ({ name, section }: DocPage) =>
  name === 'index' ? FIRST_PAGE_SHARE : section === 'Reference' ? REFERENCE_SHARE : 1;

/** Words, and code names as a whole and in parts: `invalid_customer`, `invalid`, `customer`. */
function termsOf(text: string): string[] {
  return (text.match(/[\p{L}\p{N}_]+(?:\.[\p{L}\p{N}_]+)*/gu) ?? []).flatMap((term) => {
    const parts = term.split(/[._]+|(?<=\p{Ll})(?=\p{Lu})/u).filter((part) => part !== '');
    return parts.length > 1 ? [term, ...parts] : parts;
  });
}

const fuzziness = (term: string) => (term.length >= FUZZY_FROM_CHARS ? FUZZY_SHARE : false);

/** Lower case and without inflectional endings: `signing`, `signed` and `signs` become `sign`. Null for a stop word. */
function stem(term: string): string | null {
  const word = term.toLowerCase().replace(/['’]s$/, '');
  if (STOP_WORDS.has(word)) return null;
  if (word.length > 5 && word.endsWith('ing')) return word.slice(0, -3);
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (word.length > 4 && word.endsWith('ed')) return word.slice(0, -2);
  if (word.length > 3 && word.endsWith('s') && !word.endsWith('ss')) return word.slice(0, -1);
  return word;
}

/** The sentence, line or row that contains the most terms; null if none contains any. */
function passageOf(text: string, terms: readonly string[]): string | null {
  const sentences = text
    .split(/(?<=[.!?])\s+|\n+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');
  const hits = (sentence: string) => {
    const lower = sentence.toLowerCase();
    return terms.filter((term) => lower.includes(term)).length;
  };
  const [best] = sentences.toSorted((a, b) => hits(b) - hits(a));
  if (best === undefined || hits(best) === 0) return null;
  return best.length <= PASSAGE_MAX_CHARS ? best : `${best.slice(0, PASSAGE_MAX_CHARS - 1).trimEnd()}…`;
}
