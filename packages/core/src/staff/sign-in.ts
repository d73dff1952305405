/**
 * Signs in with address and password. Addresses with and without an account cannot be distinguished: the same response after the same work
 * and time.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { audit, dashboardUrl, inTransaction } from '../context.ts';
import type { Ctx } from '../context.ts';
import { queueMail } from '../mail/queue-mail.ts';
import { lockedMail } from '../mail/texts.ts';
import { openSession } from '../session/open-session.ts';
import type { Device, OpenedSession } from '../session/open-session.ts';
import { personContext, sessionPerson } from '../session/as-person.ts';
import type { Anonymous, StaffRow } from '../session/as-person.ts';
import { countAttempt } from './count-attempt.ts';
import type { CountedAttempt } from './count-attempt.ts';
import { normalEmail } from './email.ts';
import { isPassword } from './password.ts';
import { FREE_ATTEMPTS, REFUSAL_MIN_MS } from './staff-limits.ts';
import { takeCode } from './two-factor.ts';

export interface Credentials {
  email: string;
  password: string;
  /** A code of the authenticator or a recovery code; null until it is requested. */
  code: string | null;
}

/**
 * `wrong` reveals as little as possible: unknown person, wrong password, too many attempts, or disabled. Only a person with the right
 * password gets `code` (a code is required) or `wrong-code`, which counts as a failed attempt.
 */
export type RefusedSignIn = 'wrong' | 'code' | 'wrong-code' | 'suspended';
export type SignInResult<Refused extends string = RefusedSignIn> =
  { opened: OpenedSession } | { refused: Refused };

/** Signs a person in and takes a minimum time for failures. */
export async function signIn(ctx: Anonymous, given: Credentials, device: Device): Promise<SignInResult> {
  const startedAt = performance.now();
  const result = await trySignIn(ctx, given, device);
  if ('refused' in result) await sleep(Math.max(0, REFUSAL_MIN_MS - (performance.now() - startedAt)));
  return result;
}

/** Without the minimum time. */
export async function trySignIn(
  ctx: Anonymous,
  { email, password, code }: Credentials,
  device: Device,
): Promise<SignInResult> {
  const person = await ctx.db.staffUser.findUnique({
    where: { email: normalEmail(email) },
    include: { consumer: true },
  });
  const counted = person && (await countAttempt(ctx, person));
  const right = await isPassword(counted ? person.passwordHash : null, password);
  if (!counted || !right) {
    if (person) await auditFailure(ctx, person, device, counted);
    return { refused: 'wrong' };
  }
  if (person.consumer.status === 'SUSPENDED') {
    await counted.undo(ctx.db);
    return { refused: 'suspended' };
  }
  const factors = await secondFactor(ctx, person, code);
  if (factors === 'code') await counted.undo(ctx.db);
  if (factors === 'wrong-code') await auditFailure(ctx, person, device, counted, { factor: 'code' });
  if (factors === 'code' || factors === 'wrong-code') return { refused: factors };
  const opened = await open(ctx, person, device, factors);
  return opened === null ? { refused: 'wrong' } : { opened };
}

type Factors = 'password' | 'totp' | 'recovery';

export async function secondFactor(
  ctx: Anonymous,
  person: StaffRow,
  code: string | null,
): Promise<Factors | 'code' | 'wrong-code'> {
  if (!person.totpConfirmedAt) return 'password';
  if (code === null) return 'code';
  return (await takeCode(ctx, person, code)) ?? 'wrong-code';
}

/**
 * Null if what was checked has changed: a new password, two-factor authentication or a ban was set during the check.
 *
 * @param isStillValid called in the transaction before anything is written
 */
export function open(
  ctx: Anonymous,
  person: StaffRow,
  device: Device,
  factors: Factors,
  isStillValid: (inner: Ctx) => Promise<boolean> = () => Promise.resolve(true),
): Promise<OpenedSession | null> {
  const { id, passwordHash, totpConfirmedAt } = person;
  return inTransaction(personContext(ctx, person), async (inner) => {
    if (!(await isStillValid(inner))) return null;
    // Locks the row, so that ending this person's sessions from now on includes this one.
    const { count } = await inner.db.staffUser.updateMany({
      where: { id, passwordHash, totpConfirmedAt, disabledAt: null },
      data: { failedSignIns: 0, lockedUntil: null, lastSignInAt: inner.now },
    });
    if (count === 0) return null;
    await audit(inner, { action: 'session.sign_in', target: person.email, details: { ...device, factors } });
    if (factors === 'recovery') {
      const left = await inner.db.staffRecoveryCode.count({
        where: { staffUserId: person.id, usedAt: null },
      });
      await audit(inner, { action: 'staff.use_recovery_code', target: person.email, details: { left } });
    }
    return openSession(inner, sessionPerson(person), device);
  });
}

export async function auditFailure(
  ctx: Anonymous,
  person: StaffRow,
  { address }: Device,
  counted: CountedAttempt | null,
  more: { factor?: string } = {},
): Promise<void> {
  await inTransaction(personContext(ctx, person), async (inner) => {
    const target = person.email;
    await audit(inner, { action: 'session.refuse', target, details: { address, ...more } });
    if (!counted?.lockedUntil) return;
    await audit(inner, {
      action: 'staff.lock',
      target,
      details: { address, until: counted.lockedUntil.toISOString() },
    });
    // Once: further attempts send no more emails.
    if (counted.tries !== FREE_ATTEMPTS) return;
    const link = `${dashboardUrl(inner.settings)}/app/forgot-password`;
    await queueMail(inner, lockedMail(person, { link }));
  });
}
