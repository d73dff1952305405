/** The overview of one noun: its endpoints, and links to the guides that explain it. */
import { plannedNote } from '../planned-note.ts';
import type { DocPage } from '../page.ts';
import { table } from '../tables.ts';
import type { DescribedEndpoint } from './endpoint.ts';
import type { Noun } from './nouns.ts';

export const NOT_BUILT = 'This endpoint is specified but not available yet. Requests to it return 404.';

/** @param titleOf of a guide, by its page name */
export function nounPage(
  noun: Noun,
  endpoints: readonly DescribedEndpoint[],
  titleOf: (page: string) => string,
): DocPage {
  const planned = endpoints.every((endpoint) => endpoint.planned);
  const parts = [
    `# ${noun.title}`,
    noun.summary,
    ...(planned ? [plannedNote(NOT_BUILT)] : []),
    ...(noun.guides.length > 0
      ? [`See ${noun.guides.map((name) => `[${titleOf(name)}](docs:${name})`).join(', ')}.`]
      : []),
    '## Endpoints',
    table(
      ['Endpoint', 'Does'],
      endpoints.map(({ definition, page, title, planned: isPlanned }) => [
        `\`${definition.method} ${definition.path}\``,
        `[${title}](docs:${page})${isPlanned && !planned ? ' (planned)' : ''}`,
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
    planned,
  };
}
