/**
 * Whether somebody may see a page. Every page asks for itself: neither a layout, which is not made anew for each page, nor the
 * proxy before it is asked. What a page then shows comes from `/v1`, which asks again.
 */
import type { EndpointRole } from '@clarion/protocol/v1/endpoint';
import { notFound, redirect } from 'next/navigation.js';
import { contextOf } from '../api/context.ts';
import { personOf } from '../api/caller.ts';
import { mayDo } from '../api/roles.ts';
import { runtime } from '../api/runtime.ts';
import { tenantOf } from '@clarion/core/context';
import { ApiError } from '@clarion/protocol';
import type { SessionRequest } from '../api/session-authenticator.ts';
import { currentSession } from './current.ts';
import { redirectToSignIn } from './to-sign-in.ts';

export interface Admission {
  role: EndpointRole;
  /** A page of one tenant, by the ref that its address names (path-ref.ts). */
  tenantRef?: string;
  /** A page of the account, which a launched person has none of. */
  account?: boolean;
  /** The page on which two factors are set up. */
  beforeTwoFactor?: boolean;
}

/** Where two factors are set up when the account asks for them. */
const SET_UP = '/app/two-factor';

/** Returns when they may; else the page ends here: sign-in, set-up or not found. */
export async function admit({
  role,
  tenantRef,
  account = false,
  beforeTwoFactor = false,
}: Admission): Promise<SessionRequest> {
  const current = await currentSession();
  if (current === null) return redirectToSignIn();
  if (current.needsTwoFactor && !beforeTwoFactor) redirect(SET_UP);
  const { session } = current;
  if (!mayDo(personOf(session), role) || (account && session.tenantId !== null)) notFound();
  if (tenantRef !== undefined && !(await isTenant(current, tenantRef))) notFound();
  return current;
}

async function isTenant({ consumer, actor, session }: SessionRequest, ref: string): Promise<boolean> {
  try {
    await tenantOf(contextOf(runtime(), { consumer, actor, session, surface: 'dashboard' }), ref);
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}
