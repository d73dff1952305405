/** The page of one endpoint: what to send, what comes back, what can go wrong, and calls that run as printed. */
import { errorTable } from '@clarion/protocol';
import { commonErrors } from '@clarion/protocol/v1/endpoint';
import { comingNote } from '../content.ts';
import type { DocPage } from '../page.ts';
import { code, table } from '../tables.ts';
import type { DescribedEndpoint } from './endpoint.ts';
import { NOT_BUILT } from './noun-page.ts';
import { curlOf, nodeCallOf } from './samples.ts';

export function endpointPage(endpoint: DescribedEndpoint): DocPage {
  const { definition, title, noun, page, coming } = endpoint;
  const parts = [
    `# ${title}`,
    definition.summary,
    code('http', `${definition.method} ${definition.path}`),
    ...(coming ? [comingNote(NOT_BUILT)] : []),
    '## Example',
    code('sh', curlOf(endpoint)),
    code('js', nodeCallOf(endpoint)),
    '## Answer',
    `\`${definition.answer.status}\``,
    ...(definition.example.answer === undefined
      ? []
      : [code('json', JSON.stringify(definition.example.answer, null, 2))]),
    '## Errors',
    errorsOf(endpoint),
  ];
  return {
    name: page,
    title,
    section: 'Reference',
    summary: definition.summary,
    markdown: `${parts.join('\n\n')}\n`,
    group: noun.slug,
    coming,
  };
}

function errorsOf({ definition }: DescribedEndpoint): string {
  const rows = [...commonErrors, ...definition.errors]
    .map((name) => ({ name, status: errorTable[name][0], sentence: errorTable[name][1] }))
    .toSorted((a, b) => a.status - b.status);
  return table(
    ['Status', 'Code', 'When'],
    rows.map(({ name, status, sentence }) => [String(status), `\`${name}\``, sentence]),
  );
}
