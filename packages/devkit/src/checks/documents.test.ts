import { expect, test } from 'vitest';
import { deadCitations, deadNamesInReadmes, deadPathsInDocs } from './documents.ts';
import { projectOf } from './project-files.ts';

/** Separate from the rest of each path, so that this file itself does not cite documents that do not exist. */
const DOCS = 'docs';
const GUIDE = '# Guide\n\n## How to add a verb\n\nText.\n\n## `limits` & more\n';

test('a link to a file, a folder or a heading that exists is accepted', () => {
  const project = projectOf({
    [`${DOCS}/guide.md`]: GUIDE,
    'apps/web/README.md': '',
    'README.md': `[guide](${DOCS}/guide.md) [docs](${DOCS}/) [verb](${DOCS}/guide.md#how-to-add-a-verb) [limits](${DOCS}/guide.md#limits--more)`,
    [`${DOCS}/decisions/one.md`]:
      '# One\n\n[up](../guide.md) [here](#one) [web](https://example.com/x) [mail](mailto:a@example.com)',
  });
  expect(deadPathsInDocs(project)).toEqual([]);
});

test('a link to a file or a heading that does not exist is reported', () => {
  const project = projectOf({
    [`${DOCS}/guide.md`]: GUIDE,
    [`${DOCS}/decisions/one.md`]: `[gone](../gone.md) [root](${DOCS}/guide.md) [verb](../guide.md#how-to-add-a-noun)`,
    'README.md': 'See [below](#nowhere).',
  });
  expect(deadPathsInDocs(project)).toEqual([
    `${DOCS}/decisions/one.md mentions ${DOCS}/gone.md, which does not exist`,
    `${DOCS}/decisions/one.md mentions ${DOCS}/decisions/${DOCS}/guide.md, which does not exist`,
    `${DOCS}/decisions/one.md mentions ${DOCS}/guide.md#how-to-add-a-noun, which does not exist`,
    'README.md mentions README.md#nowhere, which does not exist',
  ]);
});

test('a path from the root in backticks must exist; other text in backticks and fenced blocks is not checked', () => {
  const project = projectOf({
    'packages/core/src/context.ts': '',
    'README.md': [
      '`packages/core/src/context.ts` `packages/core/` `npm test` `call.created` `src/anything.ts`',
      '`packages/core/src/gone.ts` `scripts/gone.mjs`',
      '```sh\n`packages/fenced.ts`\n```',
    ].join('\n\n'),
  });
  expect(deadPathsInDocs(project)).toEqual([
    'README.md mentions packages/core/src/gone.ts, which does not exist',
    'README.md mentions scripts/gone.mjs, which does not exist',
  ]);
});

test('a document and a section that a comment cites must exist', () => {
  const project = projectOf({
    [`${DOCS}/requirements.md`]: '# Requirements\n\n## Limits\n',
    'a.ts': `/** ${DOCS}/requirements.md#limits, ${DOCS}/requirements.md */`,
    'schema.prisma': `/// ${DOCS}/requirements.md#nothing`,
    'b.sql': `-- ${DOCS}/gone.md, ${DOCS}/decisions/gone.md#x`,
    'c.css': `/* ${DOCS}/gone.md */`,
    'd.ts': `const url = 'https://example.com/${DOCS}/gone.md'; // packages/docs/gone.md`,
  });
  expect(deadCitations(project)).toEqual([
    `schema.prisma cites ${DOCS}/requirements.md#nothing, which does not exist`,
    `b.sql cites ${DOCS}/gone.md, which does not exist`,
    `b.sql cites ${DOCS}/decisions/gone.md#x, which does not exist`,
  ]);
});

const WORKSPACES = {
  'packages/core/package.json': '{}',
  'packages/core/src/queue/strategies/index.ts': '',
  'packages/protocol/package.json': '{}',
  'packages/protocol/src/errors.ts': '',
};

test('a README may refer to a file of its own workspace by the end of its path', () => {
  const project = projectOf({
    ...WORKSPACES,
    'packages/core/README.md':
      '`strategies/index.ts` `strategies/<name>.ts` `./src/queue/` `strategies/gone.ts` `tasks/`',
  });
  expect(deadNamesInReadmes(project)).toEqual([
    'packages/core/README.md names strategies/gone.ts, which does not exist',
    'packages/core/README.md names tasks/, which does not exist',
  ]);
});

test('a README must refer to files of another workspace by a path from the root, at least the first time', () => {
  const readme = (text: string) => projectOf({ ...WORKSPACES, 'packages/core/README.md': text });
  expect(deadNamesInReadmes(readme('`src/errors.ts`'))).toEqual([
    'packages/core/README.md names src/errors.ts, which does not exist',
  ]);
  expect(deadNamesInReadmes(readme('`packages/protocol/src/errors.ts`, again `errors.ts`'))).toEqual([]);
});

test('the file list of a README is checked, and that of other documents is not', () => {
  const text = '```\nsrc/queue/  rules\nsrc/gone.ts src/queue/strategies/index.ts  two files\n```\n';
  const project = projectOf({ ...WORKSPACES, 'packages/core/README.md': text, [`${DOCS}/guide.md`]: text });
  expect(deadNamesInReadmes(project)).toEqual([
    'packages/core/README.md names src/gone.ts, which does not exist',
  ]);
});
