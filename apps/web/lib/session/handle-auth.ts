/** Passes the allowed requests to next-auth: its CSRF token, signing in with credentials, and signing out. */
import nextAuth from 'next-auth';
import type { NextRequest } from 'next/server.js';
import { nameAuthAddress } from '../../env.ts';
import { runtime } from '../api/runtime.ts';
import { json, problemOf } from '../api/problem.ts';
import { authOptions } from './auth-options.ts';
import { appUrl } from '../api/session-cookie.ts';
import { assertSameOrigin } from '../api/same-origin.ts';

const OFFERED = new Set([
  'GET csrf',
  'POST callback/password',
  'POST callback/after-link',
  'POST callback/launch',
  'POST signout',
]);

export async function handleAuth(
  request: NextRequest,
  context: { params: Promise<{ nextauth: string[] }> },
): Promise<Response> {
  const run = runtime();
  const { nextauth: steps } = await context.params;
  if (!OFFERED.has(`${request.method} ${steps.join('/')}`)) return new Response('Not found', { status: 404 });
  try {
    assertSameOrigin(request, run.env);
  } catch (error) {
    const { status, text } = problemOf(error, '', run.log);
    return json(status, text);
  }
  nameAuthAddress(`${appUrl(run.env)}/app/api/auth`);
  const response: Response = await nextAuth(request, context, authOptions(run, request));
  response.headers.set('cache-control', 'no-store');
  return response;
}
