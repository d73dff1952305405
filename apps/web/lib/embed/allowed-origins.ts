/** Which sites may show `/embed/phone/{slug}` in a frame: the origins that the account allows. */
import { runtime } from '../api/runtime.ts';

const EMBEDDED = /^\/embed\/phone\/([^/]+)\/?$/;
/** A change of the settings takes effect within this time. */
const CACHE_MS = 5_000;
const MAX_ENTRIES = 10_000;

const cached = new Map<string, { origins: readonly string[]; until: number }>();

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
  const entry = cached.get(slug);
  if (entry && entry.until > performance.now()) return entry.origins;
  const consumer = slug.includes('\0')
    ? null
    : await runtime().db.consumer.findUnique({ where: { slug }, select: { allowedOrigins: true } });
  const origins = consumer?.allowedOrigins ?? [];
  if (cached.size >= MAX_ENTRIES) cached.clear();
  cached.set(slug, { origins, until: performance.now() + CACHE_MS });
  return origins;
}
