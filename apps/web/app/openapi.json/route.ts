/** The API as OpenAPI 3.1, made from the registry. Open to any page: documentation tools fetch it from the browser. */
import { createHash } from 'node:crypto';
import { buildOpenApi } from '@clarion/protocol/openapi/build-openapi';
import manifest from '../../package.json' with { type: 'json' };
import { runtime } from '#lib/api/runtime.ts';

export const dynamic = 'force-dynamic';

const FRESH_SECONDS = 300;

interface Served {
  text: string;
  etag: string;
}
/** Made on first use: the address that it names is known only when the process runs. */
let served: Served | undefined;

function document(): Served {
  const { baseUrl } = runtime().settings;
  const text = JSON.stringify(buildOpenApi({ baseUrl, version: manifest.version }));
  return { text, etag: `"${createHash('sha256').update(text).digest('base64url')}"` };
}

const open = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': 'if-none-match',
  'access-control-expose-headers': 'etag',
};

export function GET(request: Request): Response {
  served ??= document();
  const headers = {
    ...open,
    'content-type': 'application/json',
    'cache-control': `public, max-age=${FRESH_SECONDS}`,
    etag: served.etag,
  };
  const known = request.headers.get('if-none-match')?.split(',') ?? [];
  const unchanged = known.some((tag) => tag.trim().replace(/^W\//, '') === served?.etag);
  return unchanged ? new Response(null, { status: 304, headers }) : new Response(served.text, { headers });
}

export const OPTIONS = (): Response => new Response(null, { status: 204, headers: open });
