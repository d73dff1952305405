/** The handwritten pages: `content/**.md` with front matter, and with their placeholders replaced. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fillPlaceholders } from './fill-placeholders.ts';
import type { Deployment, DocPage, Section } from './page.ts';
import { sections } from './page.ts';

const packageRoot = join(dirname(fileURLToPath(import.meta.url)), '..');
const contentRoot = join(packageRoot, 'content');
export const repositoryRoot = join(packageRoot, '../..');

export function contentPages(deployment: Deployment): DocPage[] {
  return readdirSync(contentRoot, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => ({ file, ...parseFrontMatter(file, readFileSync(join(contentRoot, file), 'utf8')) }))
    .toSorted((a, b) => Number(a.fields['order']) - Number(b.fields['order']))
    .map(({ file, fields, body }) => {
      const { title = '', summary = '', planned } = fields;
      const note = planned === undefined ? [] : [`> **Planned.** ${planned}`];
      const markdown = fillPlaceholders(
        [`# ${title}`, summary, ...note, body.trim()].join('\n\n'),
        deployment,
      );
      return {
        name: file.replaceAll('\\', '/').replace(/\.md$/, ''),
        title,
        summary: fillPlaceholders(summary, deployment),
        section: sectionOf(file, fields['section']),
        markdown: `${markdown}\n`,
        group: null,
        planned: planned !== undefined,
      };
    });
}

function parseFrontMatter(file: string, text: string): { fields: Record<string, string>; body: string } {
  const [, head, body] = /^---\n(.*?)\n---\n(.*)$/s.exec(text) ?? [];
  if (head === undefined || body === undefined) throw new Error(`${file} has no front matter`);
  const fields = head.split('\n').map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [
      line.slice(0, colon).trim(),
      line
        .slice(colon + 1)
        .trim()
        .replace(/^(['"])(.*)\1$/, '$2'),
    ];
  });
  return { fields: Object.fromEntries(fields), body };
}

function sectionOf(file: string, section: string | undefined): Section {
  const known = sections.find((one) => one === section);
  if (!known) throw new Error(`${file} names no section`);
  return known;
}
