/**
 * Before a page: its Content-Security-Policy, with a nonce of its own that Next puts on its scripts. And agent sockets: `/socket.io`
 * goes to realtime, HTTP and WebSocket alike; a rewrite in next.config would fix the port when the pages are built, this one reads it
 * when the process starts. Nothing is authenticated here: realtime, each route and each page do that.
 */
import { randomBytes } from 'node:crypto';
import { signedClient } from '@clarion/core/security/client-address';
import { CLIENT_ADDRESS_HEADER, UNTRUSTED_FORWARDING_HEADER } from '@clarion/protocol/socket';
import { NextResponse } from 'next/server.js';
import type { NextRequest } from 'next/server.js';
import { isDevelopmentServer, readEnv, realtimeUrl } from './env.ts';
import { clientAddress, hasUntrustedForwarding } from '#lib/api/client-address.ts';
import { runtime } from '#lib/api/runtime.ts';
import { embeddedSlug, frameAncestorsFor } from '#lib/embed/allowed-origins.ts';
import { contentSecurityPolicy } from '#lib/security/content-security-policy.ts';
import { fileOrigins } from '#lib/security/file-origins.ts';
import { ASKED_PAGE_HEADER } from '#lib/session/page-after.ts';

const NONCE_BYTES = 16;
const POLICY = 'content-security-policy';

export async function proxy(request: NextRequest): Promise<NextResponse> {
  const { pathname, search } = request.nextUrl;
  if (pathname === '/socket.io' || pathname === '/socket.io/') {
    const headers = new Headers(request.headers);
    const env = readEnv();
    headers.set(CLIENT_ADDRESS_HEADER, signedClient(runtime().secrets, clientAddress(request, env)));
    headers.set(UNTRUSTED_FORWARDING_HEADER, hasUntrustedForwarding(request, env) ? '1' : '0');
    return NextResponse.rewrite(new URL(`/socket.io${search}`, realtimeUrl()), { request: { headers } });
  }
  const slug = embeddedSlug(pathname);
  const policy = contentSecurityPolicy({
    nonce: randomBytes(NONCE_BYTES).toString('base64'),
    development: isDevelopmentServer(),
    frameAncestors: slug === null ? [] : await frameAncestorsFor(slug),
    fileOrigins: fileOrigins(),
  });
  // Next reads the nonce from the request's header.
  const headers = new Headers(request.headers);
  headers.set(POLICY, policy);
  headers.set(ASKED_PAGE_HEADER, pathname + search);
  const response = NextResponse.next({ request: { headers } });
  response.headers.set(POLICY, policy);
  if (slug === null) response.headers.set('x-frame-options', 'DENY');
  return response;
}

/** Everything but the Management API (JSON, with headers of its own) and built files, which are no documents. */
export const config = { matcher: ['/((?!v1/|_next/static/|_next/image).*)'] };
