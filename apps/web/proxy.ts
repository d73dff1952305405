/**
 * Runs before a page: sets its Content-Security-Policy with a nonce, which Next adds to its scripts. Nothing is authenticated here: each
 * page and route does that.
 */
import { randomBytes } from 'node:crypto';
import { NextResponse } from 'next/server.js';
import type { NextRequest } from 'next/server.js';
import { isDevelopmentServer } from './env.ts';
import { embeddedSlug, frameAncestorsFor } from '#lib/embed/allowed-origins.ts';
import { contentSecurityPolicy } from '#lib/security/content-security-policy.ts';
import { fileOrigins } from '#lib/security/file-origins.ts';
import { ASKED_PAGE_HEADER } from '#lib/session/page-after.ts';

const NONCE_BYTES = 16;
const POLICY = 'content-security-policy';

export async function proxy(request: NextRequest): Promise<NextResponse> {
  const { pathname, search } = request.nextUrl;
  const slug = embeddedSlug(pathname);
  const policy = contentSecurityPolicy({
    nonce: randomBytes(NONCE_BYTES).toString('base64'),
    development: isDevelopmentServer(),
    frameAncestors: slug === null ? [] : await frameAncestorsFor(slug),
    fileOrigins: fileOrigins(),
  });
  // Next reads the nonce from this request header.
  const headers = new Headers(request.headers);
  headers.set(POLICY, policy);
  headers.set(ASKED_PAGE_HEADER, pathname + search);
  const response = NextResponse.next({ request: { headers } });
  response.headers.set(POLICY, policy);
  if (slug === null) response.headers.set('x-frame-options', 'DENY');
  return response;
}

/** Everything except what is not a document: the Management API (with its own headers), health checks and built files. */
export const config = { matcher: ['/((?!v1/|healthz$|readyz$|_next/static/|_next/image).*)'] };
