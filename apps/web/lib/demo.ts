/**
 * A small backend for the demo account: it signs the agent's token and places calls, as a product's backend would. It is meant for
 * trials on a local machine and available only if CLARION_DEMO is set and the demo account exists.
 */
import { demo } from '@clarion/core/demo-account';
import type { Ctx } from '@clarion/core/context';
import { ApiError, notFound } from '@clarion/protocol';
import { z } from 'zod';
import { json, problemOf } from './api/problem.ts';
import { runtime } from './api/runtime.ts';
import { isOwnHost } from './security/own-host.ts';

/** The page that plays a WhatsApp customer; null unless `npm start` runs the simulator of WhatsApp. */
export function customerPage(): string | null {
  const { CLARION_META_SIMULATOR, CLARION_META_SIMULATOR_CONTROL_PORT: port } = runtime().env;
  return CLARION_META_SIMULATOR ? `http://127.0.0.1:${port}/` : null;
}

const refs = demo.agents.map(({ ref }) => ref);

/** The agent of the phone. */
export const agentField = z.enum(refs).default(refs[0] ?? 'ada');

export const callBody = z.object({
  agent_ref: agentField,
  channel_ref: z.string().min(1),
  to: z.string().trim().min(1).max(191),
});

/** What the demo page needs to connect. */
export interface DemoSession {
  token: string;
  baseUrl: string;
  agentRef: string;
}

/** Handles a request of the demo page. A request from elsewhere is a 404, like an unknown path. */
export async function answerDemo(request: Request, work: (ctx: Ctx) => Promise<object>): Promise<Response> {
  const { env, db, log, secrets, store, settings, now } = runtime();
  const requestId = crypto.randomUUID();
  try {
    const consumer = env.CLARION_DEMO ? await db.consumer.findUnique({ where: { slug: demo.slug } }) : null;
    if (!consumer || consumer.status === 'SUSPENDED' || !isSameOrigin(request)) throw notFound('It');
    if (!isOwnHost(request.headers.get('host'), env)) {
      throw new ApiError('forbidden', {
        message: `The demo is only available at ${env.CLARION_BASE_URL}/demo.`,
      });
    }
    const actor = { kind: 'operator', id: 'demo page' } as const;
    const answer = await work({
      consumer,
      actor,
      surface: 'dashboard',
      db,
      log,
      secrets,
      store,
      settings,
      now: now(),
    });
    return json(200, JSON.stringify(answer), { 'x-request-id': requestId });
  } catch (error) {
    const { status, text, headers } = problemOf(error, requestId, log);
    return json(status, text, { 'x-request-id': requestId, ...headers });
  }
}

/** Another site's page must not place calls here. */
function isSameOrigin(request: Request): boolean {
  return ['same-origin', 'none', null].includes(request.headers.get('sec-fetch-site'));
}

/** The origin at which the page was opened, which may differ from the configured one. */
export function originOf(request: Request): string {
  const host = request.headers.get('host');
  const proto = request.headers.get('x-forwarded-proto')?.split(',')[0] ?? 'http';
  return host ? `${proto}://${host}` : runtime().env.CLARION_BASE_URL;
}
