/** Two-factor authentication: setting it up, confirming the authenticator, and disabling it. */
import type { StaffUser } from '@clarion/db';
import { ApiError, invalidField } from '@clarion/protocol';
import { audit, inTransaction } from '../context.ts';
import type { Ctx } from '../context.ts';
import { queueMail } from '../mail/queue-mail.ts';
import { twoFactorMail } from '../mail/texts.ts';
import { endSessionsOf } from '../session/end-sessions.ts';
import { sessionOf } from '../session/signed-in.ts';
import { newRecoveryCodes, useRecoveryCode } from './recovery-codes.ts';
import { assertSelf, selfOf } from './self.ts';
import { newTotpSecret, otpauthUri, stepOfCode } from './totp.ts';

const WRONG_CODE = 'The code is incorrect or was already used. Wait for the next code and enter it.';

/** Each code works once: the stored step of the last accepted code only increases. */
export async function takeTotp(
  { db, secrets, now }: Pick<Ctx, 'db' | 'secrets' | 'now'>,
  { id, totpSecretSealed }: StaffUser,
  code: string,
): Promise<boolean> {
  if (totpSecretSealed === null) return false;
  const step = stepOfCode(secrets.open('two-factor', totpSecretSealed), code, now);
  if (step === null) return false;
  const { count } = await db.staffUser.updateMany({
    where: { id, OR: [{ totpLastStep: null }, { totpLastStep: { lt: step } }] },
    data: { totpLastStep: step },
  });
  return count === 1;
}

/** Accepts a code of the authenticator or a recovery code. */
export const takeCode = async (
  ctx: Pick<Ctx, 'db' | 'secrets' | 'now'>,
  person: StaffUser,
  code: string,
): Promise<'totp' | 'recovery' | null> => {
  if (await takeTotp(ctx, person, code)) return 'totp';
  return (await useRecoveryCode(ctx, person.id, code)) ? 'recovery' : null;
};

const isOn = () =>
  new ApiError('invalid_state', {
    message: 'Two-factor authentication is already enabled. Disable it first.',
  });
const isOff = () => new ApiError('invalid_state', { message: 'Two-factor authentication is not enabled.' });

/** Creates a seed, which must be confirmed. @throws 400 on `password`; invalid_state if two-factor authentication is enabled */
export async function startTwoFactor(
  ctx: Ctx,
  password: string,
): Promise<{ secret: string; otpauthUri: string }> {
  const person = await selfOf(ctx);
  if (person.totpConfirmedAt) throw isOn();
  await assertSelf(ctx, person, { password });
  const secret = newTotpSecret();
  await inTransaction(ctx, async (inner) => {
    // Never replaces a seed that was confirmed meanwhile, because its owner would be locked out.
    const { count } = await inner.db.staffUser.updateMany({
      where: { id: person.id, totpConfirmedAt: null },
      data: { totpSecretSealed: inner.secrets.seal('two-factor', secret), totpLastStep: null },
    });
    if (count === 0) throw isOn();
    await audit(inner, { action: 'staff.start_two_factor', target: person.email });
  });
  return { secret, otpauthUri: otpauthUri(secret, person.email) };
}

const noPendingSetup = () =>
  new ApiError('invalid_state', { message: 'There is no setup to confirm. Start by scanning the QR code.' });

/** From now on a code is required to sign in. Other sessions, which began without one, end. @throws 400 on `code`, invalid_state */
export async function confirmTwoFactor(ctx: Ctx, code: string): Promise<{ recoveryCodes: string[] }> {
  const person = await selfOf(ctx);
  const { id, totpConfirmedAt, totpSecretSealed } = person;
  if (totpConfirmedAt || totpSecretSealed === null) throw noPendingSetup();
  return inTransaction(ctx, async (inner) => {
    if (!(await takeTotp(inner, person, code))) throw invalidField('code', WRONG_CODE);
    // Only if the seed is still the one to which the code belongs.
    const { count } = await inner.db.staffUser.updateMany({
      where: { id, totpSecretSealed, totpConfirmedAt: null },
      data: { totpConfirmedAt: inner.now },
    });
    if (count === 0) throw noPendingSetup();
    await endSessionsOf(inner, person.id, { except: sessionOf(inner).id });
    const recoveryCodes = await newRecoveryCodes(inner, person.id);
    await audit(inner, { action: 'staff.confirm_two_factor', target: person.email });
    await queueMail(inner, twoFactorMail(person, 'on'));
    return { recoveryCodes };
  });
}

/** Deletes a person's seed and recovery codes. False if two-factor authentication was not enabled. */
export async function removeTwoFactor({ db }: Pick<Ctx, 'db'>, staffUserId: number): Promise<boolean> {
  const { count } = await db.staffUser.updateMany({
    where: { id: staffUserId, totpConfirmedAt: { not: null } },
    data: { totpSecretSealed: null, totpConfirmedAt: null, totpLastStep: null },
  });
  if (count === 0) return false;
  await db.staffRecoveryCode.deleteMany({ where: { staffUserId } });
  return true;
}

/** @throws 400 on `password` or `code`; invalid_state if it is not enabled, or the account requires it */
export async function disableTwoFactor(ctx: Ctx, given: { password: string; code: string }): Promise<void> {
  const person = await selfOf(ctx);
  if (!person.totpConfirmedAt) throw isOff();
  if (person.twoFactorRequired) {
    throw new ApiError('invalid_state', {
      message: 'Your account requires two-factor authentication. Only an owner can change this.',
    });
  }
  await assertSelf(ctx, person, {
    password: given.password,
    async alsoRight() {
      if ((await takeCode(ctx, person, given.code)) === null) throw invalidField('code', WRONG_CODE);
    },
  });
  await inTransaction(ctx, async (inner) => {
    if (!(await removeTwoFactor(inner, person.id))) throw isOff();
    await audit(inner, { action: 'staff.disable_two_factor', target: person.email });
    await queueMail(inner, twoFactorMail(person, 'off'));
  });
}

/** Replaces the existing codes. @throws 400 on `password`; invalid_state if two-factor authentication is not enabled */
export async function renewRecoveryCodes(ctx: Ctx, password: string): Promise<{ recoveryCodes: string[] }> {
  const person = await selfOf(ctx);
  if (!person.totpConfirmedAt) throw isOff();
  await assertSelf(ctx, person, { password });
  return inTransaction(ctx, async (inner) => {
    const recoveryCodes = await newRecoveryCodes(inner, person.id);
    await audit(inner, { action: 'staff.new_recovery_codes', target: person.email });
    return { recoveryCodes };
  });
}
