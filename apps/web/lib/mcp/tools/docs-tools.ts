/** The documentation: without a key, limited by client address only. */
import type { Docs } from '@clarion/docs';
import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { answering, text, ToolFailure } from '../tool-result.ts';

const READ_ONLY = { readOnlyHint: true, openWorldHint: false } as const;
const MAX_WORDS_CHARS = 200;
const SEARCH_LIMIT = { max: 20, default: 8 };

export function registerDocsTools(server: McpServer, docs: Docs): void {
  server.registerTool(
    'docs_contents',
    {
      title: 'Contents of the documentation',
      description:
        'Lists every page of the Clarion documentation with its section, name, title and summary. Pass a name to docs_read. Start here.',
      inputSchema: z.object({}),
      annotations: READ_ONLY,
    },
    () => answering(async () => text(contents(docs))),
  );
  server.registerTool(
    'docs_read',
    {
      title: 'Read a page of the documentation',
      description: 'Returns one page in full, as Markdown.',
      inputSchema: z.object({
        name: z
          .string()
          .min(1)
          .max(MAX_WORDS_CHARS)
          .describe('The name of a page as listed by docs_contents, for example guides/webhooks'),
      }),
      annotations: READ_ONLY,
    },
    ({ name }) => answering(async () => text(read(docs, name))),
  );
  server.registerTool(
    'docs_search',
    {
      title: 'Search the documentation',
      description:
        'Returns the pages that best match the query, best match first, each with the matching passage.',
      inputSchema: z.object({
        words: z.string().min(1).max(MAX_WORDS_CHARS).describe('A few words to search for'),
        limit: z.number().int().min(1).max(SEARCH_LIMIT.max).default(SEARCH_LIMIT.default),
      }),
      annotations: READ_ONLY,
    },
    ({ words, limit }) => answering(async () => text(search(docs, words, limit))),
  );
}

function contents({ pages }: Docs): string {
  const sections = new Map<string, string[]>();
  for (const { section, name, title, summary } of pages) {
    const lines = sections.get(section) ?? [];
    sections.set(section, [...lines, `- ${name}: ${title}. ${summary}`]);
  }
  return [...sections].map(([section, lines]) => [`# ${section}`, ...lines].join('\n')).join('\n\n');
}

function read(docs: Docs, name: string): string {
  const page = docs.read(name);
  if (page) return page.markdown;
  const [nearest, ...others] = docs.suggest(name);
  const guess = nearest === undefined ? '' : ` Did you mean ${[nearest, ...others].join(', ')}?`;
  throw new ToolFailure(
    `There is no page ${JSON.stringify(name)}.${guess} docs_contents lists every page, and docs_search finds pages by their text.`,
  );
}

function search(docs: Docs, words: string, limit: number): string {
  const hits = docs.search(words, limit);
  if (hits.length === 0) {
    return `No page matches ${JSON.stringify(words)}. Try fewer or different words, or use docs_contents.`;
  }
  return hits
    .map(({ page, heading, passage }) =>
      [`## ${page.title} (${page.name})`, ...(heading === null ? [] : [`Under: ${heading}`]), passage].join(
        '\n',
      ),
    )
    .join('\n\n');
}
