/** The documentation under test, and its code blocks. */
import { Lexer } from 'marked';
import { createDocs } from '../src/index.ts';
import type { DocPage } from '../src/index.ts';

export const baseUrl = 'https://calls.example.com';
export const docs = createDocs({
  baseUrl,
  appUrl: 'https://app.example.com',
  ingressHost: 'sip.example.com',
});

export interface CodeBlock {
  page: DocPage;
  language: string;
  /** Of its tab: `Python`. */
  label: string;
  text: string;
}

export function codeBlocks(page: DocPage): CodeBlock[] {
  return Lexer.lex(page.markdown).flatMap((token) => {
    if (token.type !== 'code') return [];
    const [language = '', label = ''] = String(token['lang'] ?? '').split(' ');
    return [{ page, language, label, text: String(token['text']) }];
  });
}

/** The page with this name, which must exist. */
export function pageOf(name: string): DocPage {
  const page = docs.read(name);
  if (!page) throw new Error(`there is no page ${name}`);
  return page;
}
