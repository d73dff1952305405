/** People at the dashboard of a test's account, signed in without a browser. */
import { forConsumer } from '@clarion/core/consumer/operator';
import { openSession } from '@clarion/core/session/open-session';
import type { Person } from '@clarion/core/session/open-session';
import { createStaff } from '@clarion/core/staff/create-staff';
import type { StaffUser } from '@clarion/db';
import type { StaffRole } from '@clarion/protocol';
import { sealSession } from '#lib/api/session-cookie.ts';
import type { Web } from './support.ts';

export interface SignedIn {
  sessionId: number;
  /** For `call`'s `session`. */
  session: string;
}

export const PASSWORD = 'quiet harbour lantern 7';
const device = { userAgent: 'a test', address: '127.0.0.1' };

async function opened(web: Web, person: Person): Promise<SignedIn> {
  const { db, now, secrets } = web.runtime;
  const { session, secret } = await openSession({ db, now: now() }, person, device);
  return { sessionId: session.id, session: sealSession(secrets, secret) };
}

let people = 0;
export async function makeStaff(web: Web, slug: string, role: StaffRole = 'OWNER'): Promise<StaffUser> {
  people += 1;
  const consumer = await web.runtime.db.consumer.findUniqueOrThrow({ where: { slug } });
  const { user } = await createStaff(forConsumer(web.operator, consumer), {
    email: `${role.toLowerCase()}${people}@${slug}.test`,
    name: `${role} of ${slug}`,
    role,
    password: PASSWORD,
  });
  return user;
}

export const signedIn = (web: Web, { id, consumerId, name, role }: StaffUser): Promise<SignedIn> =>
  opened(web, { consumerId, name, role, staffUserId: id, tenantId: null, userRef: null, signingKeyId: null });

/** One of the staff, signed in. */
export async function staffSession(
  web: Web,
  slug: string,
  role: StaffRole = 'OWNER',
): Promise<SignedIn & { user: StaffUser }> {
  const user = await makeStaff(web, slug, role);
  return { user, ...(await signedIn(web, user)) };
}

/** Somebody of a business, launched into one tenant. */
export async function launchedSession(
  web: Web,
  slug: string,
  tenantRef: string,
  role: StaffRole,
): Promise<SignedIn> {
  const tenant = await web.runtime.db.tenant.findFirstOrThrow({
    where: { ref: tenantRef, consumer: { slug } },
  });
  return opened(web, {
    consumerId: tenant.consumerId,
    name: `${role} of ${tenantRef}`,
    role,
    staffUserId: null,
    tenantId: tenant.id,
    userRef: 'user-7',
    signingKeyId: null,
  });
}
