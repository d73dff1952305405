/** Renders the Markdown of a page as HTML. The content is ours, so it is not sanitised; text is escaped. */
import { Marked } from 'marked';
import type { Token, Tokens } from 'marked';
import { anchorMaker, plainText } from '../sections.ts';
import { escapeHtml } from './escape.ts';
import { renderCode, renderTabs } from './code.ts';

export interface OutlineEntry {
  id: string;
  text: string;
  depth: 2 | 3;
}
export interface RenderedPage {
  html: string;
  /** Headings of the second and third level, in order. */
  outline: OutlineEntry[];
}

/** @param baseUrl links that start with it become relative */
export function renderMarkdown(markdown: string, baseUrl: string): RenderedPage {
  const anchors = anchorMaker();
  const outline: OutlineEntry[] = [];
  let tables = 0;
  let groups = 0;
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const html = this.parser.parseInline(tokens);
        if (depth === 1) return `<h1>${html}</h1>\n`;
        const text = tokens.map(plainText).join('');
        const id = anchors(text);
        if (depth === 2 || depth === 3) outline.push({ id, text, depth });
        return `<h${depth} id="${id}">${html}<a class="doc-anchor" href="#${id}" aria-label="Link to “${escapeHtml(text)}”">#</a></h${depth}>\n`;
      },
      link({ href, tokens }) {
        const local =
          href === baseUrl || href.startsWith(`${baseUrl}/`) ? href.slice(baseUrl.length) || '/' : href;
        const away = /^[a-z]+:/i.test(local) ? ' rel="noreferrer"' : '';
        return `<a href="${escapeHtml(local)}"${away}>${this.parser.parseInline(tokens)}</a>`;
      },
      table({ header, rows }) {
        tables += 1;
        const cells = (row: Tokens.TableCell[], tag: 'td' | 'th') =>
          row
            .map(
              ({ tokens }) =>
                `<${tag}${tag === 'th' ? ' scope="col"' : ''}>${this.parser.parseInline(tokens)}</${tag}>`,
            )
            .join('');
        const body = rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('');
        return `<div class="doc-table" role="group" aria-label="Table ${tables}" tabindex="0"><table><thead><tr>${cells(header, 'th')}</tr></thead><tbody>${body}</tbody></table></div>\n`;
      },
      blockquote({ tokens }) {
        const [, kind = 'note'] = /^(Planned|Careful)\./.exec(tokens.map(plainText).join('')) ?? [];
        return `<div class="doc-note doc-note-${kind.toLowerCase()}" role="note">${this.parser.parse(tokens)}</div>\n`;
      },
      code: (token) => renderCode(token),
    },
  });
  const html = groupTabs(marked.lexer(markdown))
    .map((part) => {
      if (!Array.isArray(part)) return marked.parser([part]);
      groups += 1;
      return renderTabs(part, groups);
    })
    .join('');
  return { html, outline };
}

/** Consecutive code blocks with labels (```` ```js Node ````) become one block with tabs. */
function groupTabs(tokens: Token[]): (Token | Tokens.Code[])[] {
  const parts: (Token | Tokens.Code[])[] = [];
  for (const token of tokens) {
    if (token.type === 'space') continue;
    const last = parts.at(-1);
    if (!isLabelled(token)) parts.push(token);
    else if (Array.isArray(last)) last.push(token);
    else parts.push([token]);
  }
  return parts.map((part) => (Array.isArray(part) && part.length === 1 ? (part[0] ?? part) : part));
}

const isLabelled = (token: Token): token is Tokens.Code =>
  token.type === 'code' && /\s/.test(token['lang'] ?? '');
