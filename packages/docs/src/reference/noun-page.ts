/** The overview of one noun: its endpoints, and links to the guides that explain it. */
import type { DocPage } from '../page.ts';
import { table } from '../tables.ts';
import type { DescribedEndpoint } from './endpoint.ts';
import type { Noun } from './nouns.ts';

/** @param titleOf of a guide, by its page name */
export function nounPage(
  noun: Noun,
  endpoints: readonly DescribedEndpoint[],
  titleOf: (page: string) => string,
): DocPage {
  const parts = [
    `# ${noun.title}`,
    noun.summary,
    ...(noun.guides.length > 0
      ? [`See ${noun.guides.map((name) => `[${titleOf(name)}](docs:${name})`).join(', ')}.`]
      : []),
    '## Endpoints',
    table(
      ['Endpoint', 'Does'],
      endpoints.map(({ definition, page, title }) => [
        `\`${definition.method} ${definition.path}\``,
        `[${title}](docs:${page})`,
      ]),
    ),
  ];
  return {
    name: `reference/${noun.slug}`,
    title: noun.title,
    section: 'Reference',
    summary: noun.summary,
    markdown: `${parts.join('\n\n')}\n`,
    group: noun.slug,
    planned: false,
  };
}
