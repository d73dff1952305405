/** `GET /docs/failures.json`: the failure catalogue for programs. Allowed from any origin, like the OpenAPI document. */
import { publishedFailures } from '@clarion/docs/failure-catalogue';
import { docsBaseUrl } from '#lib/docs.ts';

export const dynamic = 'force-dynamic';

const FRESH_SECONDS = 300;

export const GET = (): Response =>
  Response.json(publishedFailures(docsBaseUrl()), {
    headers: {
      'access-control-allow-origin': '*',
      'cache-control': `public, max-age=${FRESH_SECONDS}`,
    },
  });
