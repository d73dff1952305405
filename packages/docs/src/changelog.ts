/** The page of the project's changelog (CHANGELOG.md). */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from './content.ts';
import { fillPlaceholders } from './fill-placeholders.ts';
import type { Deployment, DocPage } from './page.ts';

const TITLE = 'Changelog';
const SUMMARY = 'Changes that matter to people who run Clarion or build on it, newest first.';

export function changelogPage(deployment: Deployment): DocPage {
  const file = join(repositoryRoot, 'CHANGELOG.md');
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  // The page has its own title and summary instead of those of the file.
  const entries = text.slice(Math.max(0, text.search(/^## /m)));
  return {
    name: 'changelog',
    title: TITLE,
    section: 'More',
    summary: SUMMARY,
    markdown: fillPlaceholders(`# ${TITLE}\n\n${SUMMARY}\n\n${entries.trim()}\n`, deployment),
    group: null,
    planned: false,
  };
}
