/** The overview of one noun: its endpoints, and where it is explained. */
import { comingNote } from '../coming.ts';
import type { DocPage } from '../page.ts';
import { table } from '../tables.ts';
import type { DescribedEndpoint } from './endpoint.ts';
import type { Noun } from './nouns.ts';

export const NOT_BUILT = 'This is settled but not built yet: a request to it answers 404 until it is.';

/** @param titleOf of a guide, by its page name */
export function nounPage(
  noun: Noun,
  endpoints: readonly DescribedEndpoint[],
  titleOf: (page: string) => string,
): DocPage {
  const coming = endpoints.every((endpoint) => endpoint.coming);
  const parts = [
    `# ${noun.title}`,
    noun.summary,
    ...(coming ? [comingNote(NOT_BUILT)] : []),
    ...(noun.guides.length > 0
      ? [`Explained in ${noun.guides.map((name) => `[${titleOf(name)}](docs:${name})`).join(', ')}.`]
      : []),
    '## Endpoints',
    table(
      ['Endpoint', 'Does'],
      endpoints.map(({ definition, page, title, coming: later }) => [
        `\`${definition.method} ${definition.path}\``,
        `[${title}](docs:${page})${later && !coming ? ' (coming)' : ''}`,
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
    coming,
  };
}
