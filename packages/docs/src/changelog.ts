/** The project's changelog, as it stands beside the code. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from './content.ts';
import { fillIn } from './fill-in.ts';
import type { DocPage, Place } from './page.ts';

const TITLE = 'Changelog';
const SUMMARY = 'Changes that matter to people who run Clarion or build on it, newest first.';

export function changelogPage(place: Place): DocPage {
  const file = join(repositoryRoot, 'CHANGELOG.md');
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  // Its own title and first paragraph give way to the page's.
  const entries = text.slice(Math.max(0, text.search(/^## /m)));
  return {
    name: 'changelog',
    title: TITLE,
    section: 'More',
    summary: SUMMARY,
    markdown: fillIn(`# ${TITLE}\n\n${SUMMARY}\n\n${entries.trim()}\n`, place),
    group: null,
    planned: false,
  };
}
