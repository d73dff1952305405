/** Which sites may show `/embed/phone/{slug}` in a frame: the origins that the account allows. */
import { runtime } from '../api/runtime.ts';

const EMBEDDED = /^\/embed\/phone\/([^/]+)\/?$/;
/** A change of the settings takes effect within this time. */
const KEPT_MS = 5_000;
const KEPT_MAX = 10_000;

const kept = new Map<string, { origins: readonly string[]; until: number }>();

/** The account that a path embeds; null for every other path. */
export function embeddedSlug(pathname: string): string | null {
  const [, slug] = EMBEDDED.exec(pathname) ?? [];
  try {
    return slug === undefined ? null : decodeURIComponent(slug);
  } catch {
    return null;
  }
}

/** None for an unknown account. */
export async function frameAncestorsFor(slug: string): Promise<readonly string[]> {
  const known = kept.get(slug);
  if (known && known.until > performance.now()) return known.origins;
  const consumer = slug.includes('\0')
    ? null
    : await runtime().db.consumer.findUnique({ where: { slug }, select: { allowedOrigins: true } });
  const origins = consumer?.allowedOrigins ?? [];
  if (kept.size >= KEPT_MAX) kept.clear();
  kept.set(slug, { origins, until: performance.now() + KEPT_MS });
  return origins;
}
