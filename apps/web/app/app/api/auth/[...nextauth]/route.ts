/** The route of next-auth. Only its CSRF token, signing in with credentials and signing out are allowed. */
import type { NextRequest } from 'next/server.js';
import { handleAuth } from '#lib/session/handle-auth.ts';

interface Context {
  params: Promise<{ nextauth: string[] }>;
}
const handle = (request: NextRequest, context: Context): Promise<Response> => handleAuth(request, context);

export const GET = handle;
export const POST = handle;
