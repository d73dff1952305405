/**
 * The launch token (docs/requirements.md#authentication): a JWT like an agent token, for the dashboard's audience, which a business's
 * backend creates when a person presses a button. This module checks what can be decided without the database; launch.ts ensures that it
 * works once.
 */
import { unauthorized } from '@clarion/protocol';
import { DASHBOARD_AUDIENCE, isStorable, nameIn, readSigned, refIn } from '../agent/signed-token.ts';
import type { FindTokenKey } from '../agent/signed-token.ts';

/** From `iat` to `exp` at most (docs/requirements.md#limits). */
const LAUNCH_MAX_MS = 5 * 60_000;
/** Tolerance for a backend's clock that is ahead of ours. */
const CLOCK_SKEW_MS = 60_000;
const JTI_MAX_CHARS = 255;

export const launchRoles = ['ADMIN', 'SUPERVISOR'] as const;
export type LaunchRole = (typeof launchRoles)[number];

export interface LaunchToken {
  consumerId: number;
  signingKeyId: number;
  tenantRef: string;
  userRef: string;
  name: string;
  role: LaunchRole;
  /** Unique among the consumer's tokens. */
  jti: string;
  expiresAt: Date;
}

/** @throws ApiError unauthorized, naming the broken rule; it never reveals anything about keys */
export async function verifyLaunchToken(
  token: string,
  findKey: FindTokenKey,
  now: Date,
): Promise<LaunchToken> {
  const { key, payload, expiresAt } = await readSigned(token, findKey, now);
  if (![payload.aud].flat().includes(DASHBOARD_AUDIENCE)) {
    throw unauthorized(`The token's aud claim must be ${DASHBOARD_AUDIENCE}.`);
  }
  const { iat, jti, sub } = payload;
  if (typeof iat !== 'number' || !Number.isFinite(iat)) throw unauthorized('The token has no iat claim.');
  const issuedMs = iat * 1000;
  if (issuedMs > now.getTime() + CLOCK_SKEW_MS) throw unauthorized("The token's iat claim is in the future.");
  if (expiresAt.getTime() - issuedMs > LAUNCH_MAX_MS) {
    throw unauthorized('A launch token must expire at most 5 minutes after it was issued (from iat to exp).');
  }
  if (typeof jti !== 'string' || jti.trim() === '' || jti.length > JTI_MAX_CHARS || !isStorable(jti)) {
    throw unauthorized(`The token's jti claim must be a string of 1 to ${JTI_MAX_CHARS} characters.`);
  }
  const role = launchRoles.find((known) => known === payload['role']);
  if (!role) throw unauthorized(`The token's role claim must be one of ${launchRoles.join(', ')}.`);
  const userRef = refIn(sub, 'sub');
  return {
    consumerId: key.consumerId,
    signingKeyId: key.id,
    tenantRef: refIn(payload['tnt'], 'tnt'),
    userRef,
    name: nameIn(payload['name']) ?? userRef,
    role,
    jti,
    expiresAt,
  };
}
