/** `GET /docs/search?q=`: what the search box of the documentation shows while one types. */
import { docs, pathOfPage } from '#lib/docs.ts';

export const dynamic = 'force-dynamic';

const MAX_QUERY_CHARS = 200;

export interface FoundPage {
  href: string;
  title: string;
  section: string;
  heading: string | null;
  passage: string;
}

export function GET(request: Request): Response {
  const words = (new URL(request.url).searchParams.get('q') ?? '').slice(0, MAX_QUERY_CHARS);
  const found = docs()
    .search(words)
    .map(({ page, heading, anchor, passage }): FoundPage => ({
      href: anchor === null ? pathOfPage(page.name) : `${pathOfPage(page.name)}#${anchor}`,
      title: page.title,
      section: page.section,
      heading,
      passage,
    }));
  return Response.json({ found }, { headers: { 'cache-control': 'public, max-age=300' } });
}
