/** Every page is complete, links only to pages and headings that exist, and has valid samples. */
import { errorTable, eventTypes, queueStrategies } from '@clarion/protocol';
import type { EndpointDefinition } from '@clarion/protocol/v1/endpoint';
import { registry } from '@clarion/protocol/v1/registry';
import { describe, expect, test } from 'vitest';
import { renderMarkdown } from '../src/render/index.ts';
import { baseUrl, codeBlocks, docs, pageOf } from './docs.ts';
import { curlsIn, parseCurl } from './shell.ts';

const rendered = new Map(docs.pages.map((page) => [page.name, renderMarkdown(page.markdown, baseUrl)]));
const blocks = docs.pages.flatMap(codeBlocks);

describe.each(docs.pages.map((page) => [page.name, page] as const))('%s', (_, page) => {
  test('has a title, a summary of one paragraph and no placeholder left', () => {
    expect(page.markdown.startsWith(`# ${page.title}\n\n`)).toBe(true);
    expect(page.summary).toMatch(/^\S[^\n]*[.!?]$/);
    expect(page.markdown).not.toMatch(
      /\{base_url\}|\{app_url\}|\{ingress_host\}|\]\((?:docs|service):|<!-- insert|undefined/,
    );
  });

  test('has one first-level heading, and skips no level', () => {
    const levels = [...(rendered.get(page.name)?.html.matchAll(/<h(\d)/g) ?? [])].map(([, level]) =>
      Number(level),
    );
    expect(levels[0]).toBe(1);
    expect(levels.filter((level) => level === 1)).toHaveLength(1);
    levels.forEach((level, at) => expect(level).toBeLessThanOrEqual((levels[at - 1] ?? 0) + 1));
  });

  test('links to pages and headings that exist', () => {
    const links = [...(rendered.get(page.name)?.html.matchAll(/href="([^"]*)"/g) ?? [])].map(
      ([, href]) => href ?? '',
    );
    const pages = links.filter((href) => href.startsWith('/docs') && !href.endsWith('.json'));
    for (const link of pages) {
      const [path = '', anchor] = link.split('#');
      const target = docs.read(path);
      expect(target, `${page.name} links to ${link}`).not.toBeNull();
      if (!anchor || !target) continue;
      expect(rendered.get(target.name)?.html, `${page.name} links to ${link}`).toContain(`id="${anchor}"`);
    }
    for (const link of links.filter((href) => href.startsWith('#')))
      expect(rendered.get(page.name)?.html).toContain(`id="${link.slice(1)}"`);
  });
});

test('page names are unique, and the pages are in reading order', () => {
  expect(new Set(docs.pages.map(({ name }) => name)).size).toBe(docs.pages.length);
  expect(docs.pages.slice(0, 3).map(({ name }) => name)).toEqual(['index', 'quick-start', 'concepts']);
  expect(docs.pages.at(-1)?.name).toBe('changelog');
});

test('every JSON sample parses', () => {
  const samples = blocks.filter(({ language }) => language === 'json');
  expect(samples.length).toBeGreaterThan(50);
  for (const { page, text } of samples) expect(() => JSON.parse(text), page.name).not.toThrow();
});

/** The command with the values that the shell would substitute. */
const substituted = (text: string) =>
  text
    .replaceAll(/\$\(base64[^)]*\)/g, 'UklGRg==')
    .replaceAll('$TRUNK_ID', '1')
    .replaceAll('$CALL_ID', '4711')
    .replaceAll('$WEBHOOK_URL', 'https://api.example.com/clarion');

describe('every curl command', () => {
  const commands = blocks
    .filter(({ language }) => language === 'sh')
    .flatMap(({ page, text }) =>
      curlsIn(text).map((command) => ({ page, call: parseCurl(substituted(command)) })),
    );

  test('exists for every endpoint', () =>
    expect(commands.length).toBeGreaterThan(Object.keys(registry).length));

  test.each(commands.map(({ page, call }) => [`${page.name}: ${call.method} ${call.url}`, call] as const))(
    '%s is a valid request',
    (_, { method, url, headers, body }) => {
      const { origin, pathname, searchParams } = new URL(url);
      expect(origin).toBe(baseUrl);
      expect(headers).toContain('Authorization: Bearer $CLARION_API_KEY');
      const endpoint = Object.values<EndpointDefinition>(registry).find(
        (one) => one.method === method && pathPattern(one.path).test(pathname),
      );
      expect(endpoint, `${method} ${pathname}`).toBeDefined();
      if (endpoint?.query) {
        const query = endpoint.query.safeParse(Object.fromEntries(searchParams));
        expect(query.error?.issues).toBeUndefined();
      }
      if (body !== null) {
        expect(headers).toContain('Content-Type: application/json');
        expect(endpoint?.body?.safeParse(JSON.parse(body)).error?.issues).toBeUndefined();
      } else expect(endpoint?.example.body).toBeUndefined();
    },
  );
});

const pathPattern = (path: string) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);

describe('the reference', () => {
  test('has a page for every endpoint, grouped under a noun', () => {
    for (const [name, { method, path }] of Object.entries(registry)) {
      const page = docs.pages.find(({ markdown }) =>
        markdown.includes(`\`\`\`http\n${method} ${path}\n\`\`\``),
      );
      expect(page, name).toBeDefined();
      expect(page?.group, `${name} needs a noun (packages/docs/src/reference/nouns.ts)`).not.toBe('other');
    }
    const titles = docs.pages.map(({ title }) => title);
    const twice = titles.filter((title, at) => titles.indexOf(title) !== at);
    // A guide and the noun that it explains may have the same title.
    expect(twice.filter((title) => /^(Create|Get|List|Delete|Set|Replace)/.test(title))).toEqual([]);
  });

  test('describes every request field', () => {
    for (const page of docs.pages.filter(({ group }) => group !== null)) {
      const [sent = ''] = page.markdown.split('## Response');
      const undescribed = [...sent.matchAll(/^\| `([^`]+)`.*\|\s+\|$/gm)].map(([, field]) => field);
      expect(
        undescribed,
        `${page.name}: describe() them, or add them to packages/docs/src/reference/common-descriptions.ts`,
      ).toEqual([]);
    }
  });
});

describe('the guides', () => {
  test('list every error code, event type, queue strategy and limit', () => {
    for (const code of Object.keys(errorTable))
      expect(pageOf('guides/errors').markdown).toContain(`\`${code}\``);
    for (const type of eventTypes)
      expect(pageOf('guides/webhooks').markdown).toMatch(new RegExp(`^\\| \`${type}\``, 'm'));
    for (const strategy of queueStrategies)
      expect(pageOf('guides/queues').markdown).toMatch(new RegExp(`^\\| \`${strategy}\``, 'm'));
    const limits = pageOf('guides/rate-limits').markdown;
    for (const limit of [
      '1200',
      '300 per minute',
      '600',
      '10 MB',
      '15 MB',
      '20 MB',
      '24 hours',
      '191',
      '255',
    ])
      expect(limits).toContain(limit);
  });
});
