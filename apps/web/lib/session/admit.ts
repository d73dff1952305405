/**
 * Whether the user may see a page. Every page checks for itself: a layout is not rendered again for each page, and the proxy runs
 * before the session is known. The data of a page comes from `/v1`, which checks again.
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
  /** The role that a launched user needs instead. */
  launchedRole?: EndpointRole;
  /** A page of one tenant, by the ref in its URL (path-ref.ts). */
  tenantRef?: string;
  /** A page of the account, which launched users may not see. */
  account?: boolean;
  /** The page on which two-factor authentication is set up. */
  beforeTwoFactor?: boolean;
}

/** Where two-factor authentication is set up if the account requires it. */
const SET_UP = '/app/two-factor';

/** Returns if they may; otherwise redirects to sign-in or set-up, or renders not found. */
export async function admit({
  role,
  launchedRole = role,
  tenantRef,
  account = false,
  beforeTwoFactor = false,
}: Admission): Promise<SessionRequest> {
  const current = await currentSession();
  if (current === null) return redirectToSignIn();
  if (current.needsTwoFactor && !beforeTwoFactor) redirect(SET_UP);
  const { session } = current;
  const person = personOf(session);
  if (!mayDo(person, person.launched ? launchedRole : role) || (account && session.tenantId !== null))
    notFound();
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
