/** The index of the documentation for language models (llmstxt.org): every page with its address and summary. */
import { sections } from '@clarion/docs';
import { docs, docsBaseUrl } from '#lib/docs.ts';
import { plain } from '#lib/text-answers.ts';

export const dynamic = 'force-dynamic';

export function GET(): Response {
  const base = docsBaseUrl();
  const { pages } = docs();
  const lists = sections.map((section) => {
    const lines = pages
      .filter((page) => page.section === section)
      .map(({ name, title, summary }) => `- [${title}](${base}/docs/${name}.md): ${summary}`);
    return [`## ${section}`, lines.join('\n')].join('\n\n');
  });
  return plain(
    `${[
      '# Clarion',
      '> A call engine that a product’s backend embeds: customers call a line or are called, agents answer in a browser or a mobile app, and the backend provisions everything over REST and receives each call as a signed webhook.',
      `Everything below in one file: ${base}/llms-full.txt. The API as OpenAPI 3.1: ${base}/openapi.json. The same pages as tools for an assistant: ${base}/mcp.`,
      ...lists,
    ].join('\n\n')}\n`,
  );
}
