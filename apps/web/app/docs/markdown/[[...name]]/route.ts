/** Every page as Markdown: `/docs/<name>.md` is rewritten to here (next.config.ts). */
import { docs } from '#lib/docs.ts';
import { markdown } from '#lib/text-answers.ts';

export const dynamic = 'force-dynamic';

export async function GET(
  _request: Request,
  { params }: { params: Promise<{ name?: string[] }> },
): Promise<Response> {
  const { name = [] } = await params;
  const asked = name.map(decoded).join('/');
  const page = docs().read(asked);
  if (page) return markdown(page.markdown);
  const near = docs().suggest(asked);
  return markdown(`There is no page “${asked}”. Did you mean ${near.join(', ')}?\n`, 404);
}

/** A step of the path that is decoded already may hold a `%` of its own. */
function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
