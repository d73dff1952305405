/** The caller of the Management API, an API key or else a dashboard session, and which endpoints it may call. */
import type { Actor, SessionCaller, Surface } from '@clarion/core/context';
import type { Consumer } from '@clarion/db';
import { ApiError } from '@clarion/protocol';
import type { EndpointDefinition } from '@clarion/protocol/v1/endpoint';
import { cookieName, readCookie } from './session-cookie.ts';
import { assertSameOrigin } from './same-origin.ts';
import { consumerBucket, dashboardBucket, sessionBucket } from './rate-limit.ts';
import type { Bucket } from './rate-limit.ts';
import { mayDo } from './roles.ts';
import type { Runtime } from './runtime.ts';
import { surfaceOf } from './surface.ts';

export interface ApiCaller {
  consumer: Consumer;
  actor: Actor;
  surface: Surface;
  /** Absent: an API key. */
  session?: SessionCaller;
  needsTwoFactor: boolean;
  /** The rate limits that the request counts towards. The response headers report the first. */
  buckets: readonly [Bucket, ...Bucket[]];
}

/** @throws unauthorized; forbidden for a request from another site's page */
export async function callerOf(run: Runtime, request: Request): Promise<ApiCaller> {
  const authorization = request.headers.get('authorization');
  const sealed =
    authorization === null ? readCookie(request.headers.get('cookie'), cookieName(run.env)) : null;
  if (sealed === null) {
    const { consumer, actor } = await run.authenticator.authenticate(authorization);
    const buckets = [consumerBucket(consumer.id)] as const;
    return { consumer, actor, surface: surfaceOf(request), needsTwoFactor: false, buckets };
  }
  assertSameOrigin(request, run.env);
  const { consumer, actor, session, needsTwoFactor } = await run.sessions.authenticate(sealed);
  const buckets = [sessionBucket(session.id), dashboardBucket(consumer.id)] as const;
  return { consumer, actor, session, surface: 'dashboard', needsTwoFactor, buckets };
}

/** @throws forbidden */
export function assertAllowed(
  { session, needsTwoFactor }: Pick<ApiCaller, 'session' | 'needsTwoFactor'>,
  endpoint: EndpointDefinition,
): void {
  if (!session) {
    if (!endpoint.sessionOnly) return;
    throw new ApiError('forbidden', {
      message: 'Only a user who is signed in to the dashboard can do this.',
    });
  }
  if (session.tenantId !== null && !endpoint.oneTenantSession) throw new ApiError('forbidden');
  const { role, launchedRole = role } = endpoint;
  if (!mayDo(personOf(session), session.tenantId === null ? role : launchedRole))
    throw new ApiError('forbidden');
  if (needsTwoFactor && !endpoint.beforeTwoFactor) {
    throw new ApiError('forbidden', {
      message: 'Your account requires two-factor authentication. Set it up first.',
    });
  }
}

/** What a session's permissions depend on. */
export const personOf = ({ role, tenantId }: Pick<SessionCaller, 'role' | 'tenantId'>) => ({
  role,
  launched: tenantId !== null,
});
