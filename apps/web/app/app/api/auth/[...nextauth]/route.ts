/** next-auth's address. Of what it offers only signing in with a proof, signing out and the token for both are let through. */
import type { NextRequest } from 'next/server.js';
import { answerAuth } from '#lib/session/answer-auth.ts';

interface Context {
  params: Promise<{ nextauth: string[] }>;
}
const handle = (request: NextRequest, context: Context): Promise<Response> => answerAuth(request, context);

export const GET = handle;
export const POST = handle;
