import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';

/** 5 to 15 minutes are recommended. The SDK fetches a fresh token for every connection. */
export const AGENT_TOKEN_SECONDS = 10 * 60;
/** At most 5 minutes, because it is used immediately. */
export const LAUNCH_TOKEN_SECONDS = 2 * 60;
export const MAX_LAUNCH_TOKEN_SECONDS = 5 * 60;
export const LAUNCH_AUDIENCE = 'clarion-dashboard';

/** A signing key from `POST /v1/signing-keys`, and the account that it belongs to. Keep it in your backend. */
export interface Signer {
  /** The consumer's slug. */
  consumer: string;
  kid: string;
  secret: string;
}

export interface AgentTokenClaims {
  /** The tenant of the logged-in user, never one taken from the request. */
  tenantRef: string;
  agentRef: string;
  /** Applied on every connection; without it, the agent would be renamed to the ref. */
  name: string;
  role?: 'AGENT' | 'SUPERVISOR';
  expiresInSeconds?: number;
}

/**
 * Signs a token for the agent of your user. Return it only to that user.
 * @throws RangeError if the lifetime is invalid; TypeError if the key, the tenant or the agent is missing
 */
export async function signAgentToken(signer: Signer, claims: AgentTokenClaims): Promise<string> {
  const { tenantRef, agentRef, name, role = 'AGENT', expiresInSeconds = AGENT_TOKEN_SECONDS } = claims;
  insist({ ...signer, tenantRef, agentRef });
  return new SignJWT({ tnt: tenantRef, name, role })
    .setProtectedHeader({ alg: 'HS256', kid: signer.kid })
    .setIssuer(signer.consumer)
    .setSubject(agentRef)
    .setIssuedAt()
    .setExpirationTime(`${wholeSeconds(expiresInSeconds)} seconds`)
    .sign(keyOf(signer));
}

export interface LaunchTokenClaims {
  tenantRef: string;
  userId: string;
  name: string;
  /** An ADMIN manages and supervises the tenant; a SUPERVISOR monitors calls and reads reports. */
  role: 'ADMIN' | 'SUPERVISOR';
  expiresInSeconds?: number;
}

/**
 * Signs a token that opens the dashboard once: send the browser to `{app_url}/app/launch#token=…`.
 * @throws RangeError if the lifetime exceeds 5 minutes; TypeError if the key, the tenant or the user is missing
 */
export async function signLaunchToken(signer: Signer, claims: LaunchTokenClaims): Promise<string> {
  const { tenantRef, userId, name, role, expiresInSeconds = LAUNCH_TOKEN_SECONDS } = claims;
  insist({ ...signer, tenantRef, userId });
  if (expiresInSeconds > MAX_LAUNCH_TOKEN_SECONDS)
    throw new RangeError(`A launch token is valid for at most ${MAX_LAUNCH_TOKEN_SECONDS} seconds.`);
  return new SignJWT({ tnt: tenantRef, name, role })
    .setProtectedHeader({ alg: 'HS256', kid: signer.kid })
    .setIssuer(signer.consumer)
    .setAudience(LAUNCH_AUDIENCE)
    .setSubject(userId)
    .setJti(randomUUID())
    .setIssuedAt()
    .setExpirationTime(`${wholeSeconds(expiresInSeconds)} seconds`)
    .sign(keyOf(signer));
}

/** Prevents a missing setting from producing a token without a subject. */
function insist(values: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(values))
    if (typeof value !== 'string' || value.trim() === '') throw new TypeError(`A token requires ${name}.`);
}

const keyOf = ({ secret }: Signer) => new TextEncoder().encode(secret);

function wholeSeconds(seconds: number): number {
  if (!Number.isInteger(seconds) || seconds <= 0)
    throw new RangeError('The lifetime must be a whole number of seconds.');
  return seconds;
}
