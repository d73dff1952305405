/** Code blocks: highlighted on the server, with a copy button, and with tabs for several languages. */
import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import go from 'highlight.js/lib/languages/go';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import php from 'highlight.js/lib/languages/php';
import python from 'highlight.js/lib/languages/python';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import type { Tokens } from 'marked';
import { escapeHtml } from './escape.ts';

const languages = { sh: bash, go, js: javascript, json, php, python, ts: typescript, html: xml };
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);

const names: Record<string, string> = {
  sh: 'Shell',
  go: 'Go',
  js: 'JavaScript',
  json: 'JSON',
  php: 'PHP',
  python: 'Python',
  ts: 'TypeScript',
  html: 'HTML',
};
const COPY = '<button type="button" class="doc-copy" data-copy>Copy</button>';

/** `js Node` → the language and the label of its tab. */
function infoOf({ lang = '' }: Tokens.Code): { language: string; label: string } {
  const [language = '', ...label] = lang.split(/\s+/);
  return { language, label: label.join(' ') || (names[language] ?? 'Text') };
}

function highlighted(token: Tokens.Code): string {
  const { language, label } = infoOf(token);
  const html =
    language in languages ? hljs.highlight(token.text, { language }).value : escapeHtml(token.text);
  return `<pre tabindex="0" role="group" aria-label="${escapeHtml(label)}"><code>${html}</code></pre>`;
}

export function renderCode(token: Tokens.Code): string {
  const { language, label } = infoOf(token);
  if (language === 'http') return renderEndpoint(token.text);
  return `<div class="doc-code"><div class="doc-code-head"><span>${escapeHtml(label)}</span>${COPY}</div>${highlighted(token)}</div>\n`;
}

export function renderTabs(tokens: readonly Tokens.Code[], group: number): string {
  const id = (kind: string, index: number) => `code-${group}-${kind}-${index}`;
  const tabs = tokens.map((token, index) => {
    const { label } = infoOf(token);
    const chosen = index === 0;
    return `<button type="button" role="tab" id="${id('tab', index)}" aria-controls="${id('panel', index)}" aria-selected="${chosen}" tabindex="${chosen ? 0 : -1}" data-language="${escapeHtml(label)}">${escapeHtml(label)}</button>`;
  });
  const panels = tokens.map(
    (token, index) =>
      `<div role="tabpanel" id="${id('panel', index)}" aria-labelledby="${id('tab', index)}"${index === 0 ? '' : ' hidden'}>${highlighted(token)}</div>`,
  );
  return `<div class="doc-code" data-tabs><div class="doc-code-head"><div role="tablist" aria-label="Language">${tabs.join('')}</div>${COPY}</div>${panels.join('')}</div>\n`;
}

/** `PUT /v1/…`: the method as a badge, and the path with its parameters highlighted. */
function renderEndpoint(text: string): string {
  const [method = '', path = ''] = text.split(' ', 2);
  const parts = path.split('/').map((part) => {
    const text = escapeHtml(part);
    return part.startsWith('{') ? `<span class="doc-field">${text}</span>` : text;
  });
  return `<p class="doc-endpoint"><span class="doc-method" data-method="${escapeHtml(method)}">${escapeHtml(method)}</span><code>${parts.join('/<wbr>')}</code></p>\n`;
}
