/**
 * Signing in with address and password. Nothing tells an address that has an account from one that has none: the same answer,
 * the same work, the same time.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { audit, dashboardUrl, inTransaction } from '../context.ts';
import type { Ctx } from '../context.ts';
import { queueMail } from '../mail/queue-mail.ts';
import { lockedMail } from '../mail/texts.ts';
import { openSession } from '../session/open-session.ts';
import type { Device, OpenedSession } from '../session/open-session.ts';
import { asPerson, sessionPerson } from '../session/as-person.ts';
import type { Anonymous, StaffRow } from '../session/as-person.ts';
import { countTry } from './count-try.ts';
import type { CountedTry } from './count-try.ts';
import { normalEmail } from './email.ts';
import { isPassword } from './password.ts';
import { FREE_TRIES, REFUSAL_MIN_MS } from './staff-limits.ts';
import { takeCode } from './two-factor.ts';

export interface Credentials {
  email: string;
  password: string;
  /** Of the phone, or one for when it is gone; null until it is asked for. */
  code: string | null;
}

/**
 * `wrong` says as little as it can: no such person, another password, too many tries, somebody who was disabled. Only who has the
 * password learns of `code` (one is needed) and `wrong-code`, which counts as a wrong try.
 */
export type RefusedSignIn = 'wrong' | 'code' | 'wrong-code' | 'suspended';
export type SignInResult<Refused extends string = RefusedSignIn> =
  { opened: OpenedSession } | { refused: Refused };

/** For whoever knocks. */
export async function signIn(ctx: Anonymous, given: Credentials, device: Device): Promise<SignInResult> {
  const startedAt = performance.now();
  const result = await trySignIn(ctx, given, device);
  if ('refused' in result) await sleep(Math.max(0, REFUSAL_MIN_MS - (performance.now() - startedAt)));
  return result;
}

/** Without the time that hides how long looking took. */
export async function trySignIn(
  ctx: Anonymous,
  { email, password, code }: Credentials,
  device: Device,
): Promise<SignInResult> {
  const person = await ctx.db.staffUser.findUnique({
    where: { email: normalEmail(email) },
    include: { consumer: true },
  });
  const counted = person && (await countTry(ctx, person));
  const right = await isPassword(counted ? person.passwordHash : null, password);
  if (!counted || !right) {
    if (person) await auditFailure(ctx, person, device, counted);
    return { refused: 'wrong' };
  }
  if (person.consumer.status === 'SUSPENDED') {
    await counted.giveBack(ctx.db);
    return { refused: 'suspended' };
  }
  const factors = await secondFactor(ctx, person, code);
  if (factors === 'code') await counted.giveBack(ctx.db);
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
 * Null when what was proven is no longer so: a new password, two factors or a ban came while it was being looked at.
 *
 * @param isStillValid asked in the transaction, before anything is written
 */
export function open(
  ctx: Anonymous,
  person: StaffRow,
  device: Device,
  factors: Factors,
  isStillValid: (inner: Ctx) => Promise<boolean> = () => Promise.resolve(true),
): Promise<OpenedSession | null> {
  const { id, passwordHash, totpConfirmedAt } = person;
  return inTransaction(asPerson(ctx, person), async (inner) => {
    if (!(await isStillValid(inner))) return null;
    // Holds the row: who ends this person's sessions from now on finds this one too.
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
  counted: CountedTry | null,
  more: { factor?: string } = {},
): Promise<void> {
  await inTransaction(asPerson(ctx, person), async (inner) => {
    const target = person.email;
    await audit(inner, { action: 'session.refuse', target, details: { address, ...more } });
    if (!counted?.lockedUntil) return;
    await audit(inner, {
      action: 'staff.lock',
      target,
      details: { address, until: counted.lockedUntil.toISOString() },
    });
    // Once: who goes on trying does not go on writing to them.
    if (counted.tries !== FREE_TRIES) return;
    const link = `${dashboardUrl(inner.settings)}/app/forgot-password`;
    await queueMail(inner, lockedMail(person, { link }));
  });
}
