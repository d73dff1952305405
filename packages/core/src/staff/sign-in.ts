/**
 * Signing in with address and password. Nothing tells an address that has an account from one that has none: the same answer,
 * the same work, the same time.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { audit, inTransaction } from '../context.ts';
import { openSession } from '../session/open-session.ts';
import type { Device, OpenedSession } from '../session/open-session.ts';
import { asPerson, sessionPerson } from './as-person.ts';
import type { Anonymous, StaffRow } from './as-person.ts';
import { countTry } from './count-try.ts';
import { normalEmail } from './email.ts';
import { isPassword } from './password.ts';
import { REFUSAL_MIN_MS } from './staff-limits.ts';

export interface Credentials {
  email: string;
  password: string;
}

/** `wrong` says as little as it can: no such person, another password, too many tries, somebody who was disabled. */
export type RefusedSignIn = 'wrong' | 'suspended';
export type SignInResult = { opened: OpenedSession } | { refused: RefusedSignIn };

export async function signIn(ctx: Anonymous, given: Credentials, device: Device): Promise<SignInResult> {
  const startedAt = performance.now();
  const result = await attempt(ctx, given, device);
  if ('refused' in result) await sleep(Math.max(0, REFUSAL_MIN_MS - (performance.now() - startedAt)));
  return result;
}

async function attempt(
  ctx: Anonymous,
  { email, password }: Credentials,
  device: Device,
): Promise<SignInResult> {
  const person = await ctx.db.staffUser.findUnique({
    where: { email: normalEmail(email) },
    include: { consumer: true },
  });
  const counted = person && (await countTry(ctx, person));
  const right = await isPassword(counted ? person.passwordHash : null, password);
  if (!counted || !right) {
    if (person) await auditFailure(ctx, person, device, counted?.lockedUntil ?? null);
    return { refused: 'wrong' };
  }
  if (person.consumer.status === 'SUSPENDED') {
    await counted.giveBack(ctx.db);
    return { refused: 'suspended' };
  }
  return { opened: await open(ctx, person, device) };
}

function open(ctx: Anonymous, person: StaffRow, device: Device): Promise<OpenedSession> {
  return inTransaction(asPerson(ctx, person), async (inner) => {
    await inner.db.staffUser.update({
      where: { id: person.id },
      data: { failedSignIns: 0, lockedUntil: null, lastSignInAt: inner.now },
    });
    await audit(inner, { action: 'session.sign_in', target: person.email, details: { ...device } });
    return openSession(inner, sessionPerson(person), device);
  });
}

async function auditFailure(
  ctx: Anonymous,
  person: StaffRow,
  { address }: Device,
  lockedUntil: Date | null,
): Promise<void> {
  const own = asPerson(ctx, person);
  await audit(own, { action: 'session.refuse', target: person.email, details: { address } });
  if (lockedUntil) {
    const details = { address, until: lockedUntil.toISOString() };
    await audit(own, { action: 'staff.lock', target: person.email, details });
  }
}
