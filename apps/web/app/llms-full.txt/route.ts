/** Every page of the documentation in one text, in reading order. */
import { docs, docsBaseUrl, pathOfPage } from '#lib/docs.ts';
import { plain } from '#lib/text-answers.ts';

export const dynamic = 'force-dynamic';

export function GET(): Response {
  const base = docsBaseUrl();
  return plain(
    docs()
      .pages.map(({ name, markdown }) => `<!-- ${base}${pathOfPage(name)} -->\n\n${markdown}`)
      .join('\n---\n\n'),
  );
}
