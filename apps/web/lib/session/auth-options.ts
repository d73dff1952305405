/**
 * The options of next-auth for the dashboard: it checks its CSRF token, calls one of three providers and sets the cookie. We encode
 * the cookie (session-cookie.ts), and the database determines who is signed in. Created for each request, because providers need
 * the client address.
 */
import type { Anonymous } from '@clarion/core/session/as-person';
import { SESSION_MAX_MS } from '@clarion/core/session/session-limits';
import type { Device, OpenedSession } from '@clarion/core/session/open-session';
import { launch } from '@clarion/core/session/launch';
import { auditRefusedLaunch } from '@clarion/core/session/refused-launch';
import { signIn } from '@clarion/core/staff/sign-in';
import { signInAfterLink } from '@clarion/core/staff/sign-in-after-link';
import { ApiError } from '@clarion/protocol';
import type { AuthOptions, User } from 'next-auth';
import credentials from 'next-auth/providers/credentials';
import { z } from 'zod';
import { clientAddress } from '../api/client-address.ts';
import { refusedLaunchBucket, signInBucket } from '../api/rate-limit.ts';
import type { Runtime } from '../api/runtime.ts';
import { cookieName, cookieOptions, isSecure, openSealed, sealSession } from '../api/session-cookie.ts';
import { endReplacedSession, endSession } from './end-session.ts';
import type { SignInError } from './sign-in-errors.ts';

/** What next-auth passes from a provider to the cookie. */
interface Signed extends User {
  secret: string;
}

const launchForm = z.object({ token: z.string().max(10_000) });
const code = z
  .string()
  .max(50)
  .optional()
  .transform((given) => given?.trim() || null);
const passwordForm = z.object({ email: z.string().max(320), password: z.string().max(1000), code });
const ticketForm = z.object({ ticket: z.string().max(100), code });

export function authOptions(run: Runtime, request: Request): AuthOptions {
  const { env, secrets } = run;
  const options = cookieOptions(env);
  const device: Device = {
    userAgent: request.headers.get('user-agent'),
    address: clientAddress(request, env),
  };
  return {
    // For its CSRF token only; the key of the session cookie is a different one.
    secret: secrets.sign('sign-in-form', 'next-auth'),
    useSecureCookies: isSecure(env),
    session: { strategy: 'jwt', maxAge: SESSION_MAX_MS / 1000 },
    cookies: {
      sessionToken: { name: cookieName(env), options },
      csrfToken: { name: cookieName(env, 'clarion-sign-in'), options },
      callbackUrl: { name: cookieName(env, 'clarion-return'), options },
    },
    pages: { signIn: '/app/sign-in', signOut: '/app/sign-in', error: '/app/sign-in' },
    providers: [
      credentials({
        id: 'password',
        credentials: { email: {}, password: {}, code: {} },
        authorize: (given) => refusalOnly(run, () => asPassword(run, device, given)),
      }),
      credentials({
        id: 'after-link',
        credentials: { ticket: {}, code: {} },
        authorize: (given) => refusalOnly(run, () => asLinked(run, device, given)),
      }),
      credentials({
        id: 'launch',
        credentials: { token: {} },
        authorize: (given) => refusalOnly(run, () => asLaunched(run, device, given)),
      }),
    ],
    jwt: {
      encode: ({ token }) => sealSession(secrets, String(token?.['secret'] ?? '')),
      decode: ({ token }) => {
        const secret = token === undefined ? null : openSealed(secrets, token);
        return secret === null ? null : { secret };
      },
    },
    callbacks: {
      jwt: ({ token, user }) => ({ secret: isSigned(user) ? user.secret : token['secret'] }),
    },
    events: {
      // Called only after a successful sign-in. A failure here is logged, and the user is signed in nevertheless.
      signIn: () => endReplacedSession(run, request),
      signOut: ({ token }) => endSession(run, String(token['secret'] ?? '')),
    },
    logger: {
      error: (code, metadata) => run.log.warn({ code, metadata }, 'sign-in failed'),
      warn: (code) => run.log.debug({ code }, 'sign-in warning'),
      debug: () => undefined,
    },
  };
}

const isSigned = (user: User | undefined): user is Signed => user !== undefined && 'secret' in user;
const signed = ({ session, secret }: OpenedSession): Signed => ({ id: String(session.id), secret });

class Refused extends Error {}

/** The reason for the sign-in page: next-auth passes on an error's message and nothing else. */
const refuse = (why: SignInError): never => {
  throw new Refused(why);
};

/** Unexpected errors are only logged, because their message would be part of the response. */
async function refusalOnly(run: Runtime, work: () => Promise<Signed>): Promise<Signed> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refused) throw error;
    run.log.error({ err: error }, 'unexpected error during sign-in');
    return refuse('broken');
  }
}

async function asPassword(run: Runtime, device: Device, given: unknown): Promise<Signed> {
  await countAttempt(run, device);
  const form = passwordForm.safeParse(given);
  if (!form.success) return refuse('wrong');
  const result = await signIn(anonymous(run), form.data, device);
  return 'opened' in result ? signed(result.opened) : refuse(result.refused);
}

async function asLinked(run: Runtime, device: Device, given: unknown): Promise<Signed> {
  await countAttempt(run, device);
  const form = ticketForm.safeParse(given);
  if (!form.success) return refuse('ticket');
  const result = await signInAfterLink(anonymous(run), form.data, device);
  return 'opened' in result ? signed(result.opened) : refuse(result.refused);
}

async function asLaunched(run: Runtime, device: Device, given: unknown): Promise<Signed> {
  await countAttempt(run, device);
  const form = launchForm.safeParse(given);
  if (!form.success) return refuse('launch');
  try {
    return signed(await launch(anonymous(run), form.data.token, device));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    run.log.info({ reason: error.message }, 'launch token rejected');
    if (error.code === 'consumer_suspended') return refuse('suspended');
    await auditRefusedLaunch(anonymous(run), { token: form.data.token, rule: error.message, device }, (id) =>
      mayTell(run, id),
    );
    return refuse(`launch: ${error.message}`);
  }
}

/** Otherwise an old link could be used to fill the audit log. */
const mayTell = async ({ rateLimiter, now }: Runtime, consumerId: number): Promise<boolean> =>
  (await rateLimiter.take(refusedLaunchBucket(consumerId), now())).allowed;

/** Attempts are limited by client address here, and by email address in core (`countAttempt`). */
async function countAttempt({ rateLimiter, now }: Runtime, { address }: Device): Promise<void> {
  const { allowed } = await rateLimiter.take(signInBucket(address ?? 'unknown'), now());
  if (!allowed) refuse('too-many');
}

export function anonymous(run: Runtime): Anonymous {
  const { db, secrets, store, settings, log } = run;
  return { db, secrets, store, settings, log, now: run.now() };
}
