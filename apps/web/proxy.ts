/**
 * Agent sockets: `/socket.io` goes to realtime, HTTP and WebSocket alike. A rewrite in next.config would fix the port when the
 * pages are built; this one reads it when the process starts. Nothing is authenticated here: realtime and each route do that.
 */
import { NextResponse } from 'next/server.js';
import type { NextRequest } from 'next/server.js';
import { realtimeUrl } from './env.ts';

export function proxy(request: NextRequest): NextResponse {
  const { search } = request.nextUrl;
  return NextResponse.rewrite(new URL(`/socket.io${search}`, realtimeUrl()));
}

export const config = { matcher: ['/socket.io', '/socket.io/'] };
