/** Every entry of the failure catalogue has its section, at the address that the API gives for it. */
import { failureCodes, failureDocs, failures } from '@clarion/protocol';
import { expect, test } from 'vitest';
import { publishedFailures } from '../src/failure-catalogue.ts';
import { renderMarkdown } from '../src/render/index.ts';
import { baseUrl, docs } from './docs.ts';

const page = docs.read('failures');
const html = renderMarkdown(page?.markdown ?? '', baseUrl).html;

test.each(failureCodes)('%s has a section with its sentence and its fix', (code) => {
  const [path, anchor] = failureDocs(code).split('#');
  expect(path).toBe('/docs/failures');
  expect(html).toContain(`id="${anchor}"`);
  expect(page?.markdown).toContain(
    `\`${code}\`: ${failures[code].text}\n\n**What to do:** ${failures[code].fix}`,
  );
});

test('texts and fixes are whole sentences', () => {
  for (const { text, fix } of Object.values(failures))
    for (const sentence of [text, fix]) expect(sentence).toMatch(/^[A-Z].*\.$/);
});

test('the list for programs has every entry, with the address of its section', () => {
  const list = publishedFailures(baseUrl).failures;
  expect(list.map(({ code }) => code)).toEqual(failureCodes);
  expect(list.find(({ code }) => code === 'trunk_not_active')).toEqual({
    code: 'trunk_not_active',
    area: 'inbound',
    text: 'The trunk is not active.',
    fix: 'Submit the trunk, wait for its approval, or activate it again.',
    field: 'status',
    docs: `${baseUrl}/docs/failures#trunk-not-active`,
  });
});
