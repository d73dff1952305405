/** Splits a page at its headings into sections of plain text, which search indexes. */
import { Lexer } from 'marked';
import type { Token } from 'marked';
import type { DocPage } from './page.ts';

export interface PageSection {
  /** Null for the text before the first heading below the title. */
  heading: string | null;
  anchor: string | null;
  depth: number;
  text: string;
}

export function sectionsOf(page: Pick<DocPage, 'markdown'>): PageSection[] {
  const anchors = anchorMaker();
  const found: PageSection[] = [{ heading: null, anchor: null, depth: 1, text: '' }];
  for (const token of Lexer.lex(page.markdown)) {
    if (token.type === 'heading' && token['depth'] > 1) {
      const heading = plainText(token);
      found.push({ heading, anchor: anchors(heading), depth: Number(token['depth']), text: '' });
    } else if (token.type !== 'heading') {
      const last = found.at(-1);
      if (last) last.text = `${last.text}\n${plainText(token)}`.trim();
    }
  }
  return found;
}

/** IDs of headings, unique within one page. */
export function anchorMaker(): (heading: string) => string {
  const taken = new Map<string, number>();
  return (heading) => {
    const base =
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_.-]/gu, '')
        .trim()
        .replaceAll(/[\s.]+/g, '-') || 'section';
    const count = taken.get(base) ?? 0;
    taken.set(base, count + 1);
    return count === 0 ? base : `${base}-${count}`;
  };
}

/** A token without its markup. Cells and list items are separated, so that words do not run together. */
export function plainText(token: Token): string {
  if (token.type === 'table') {
    const cells = (row: { tokens: Token[] }[]) => row.map((cell) => inline(cell.tokens)).join(' · ');
    return [token['header'], ...token['rows']].map(cells).join('\n');
  }
  if (token.type === 'list') {
    return token['items'].map((item: { tokens: Token[] }) => item.tokens.map(plainText).join(' ')).join('\n');
  }
  if (token.type === 'html') return '';
  return 'tokens' in token && token.tokens
    ? inline(token.tokens)
    : 'text' in token
      ? unescape(token.text)
      : '';
}

const inline = (tokens: Token[]): string => tokens.map(plainText).join('');

const entities: Record<string, string> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};
const unescape = (text: string) =>
  text.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? entity);
