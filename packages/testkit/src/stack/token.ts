/** Signs agent tokens as a consumer's backend would (docs/requirements.md#authentication), without the project's own helpers. */
import { createHmac } from 'node:crypto';

export interface SigningKey {
  kid: string;
  secret: string;
}

const TOKEN_SECONDS = 900;
const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Any claim may be replaced, and `alg` too, to make tokens that must be refused. */
export function signToken(
  key: SigningKey,
  claims: Record<string, unknown>,
  header: Record<string, unknown> = {},
): string {
  const body = [
    base64url({ alg: 'HS256', typ: 'JWT', kid: key.kid, ...header }),
    base64url({ exp: Math.floor(Date.now() / 1000) + TOKEN_SECONDS, ...claims }),
  ].join('.');
  return `${body}.${createHmac('sha256', key.secret).update(body).digest('base64url')}`;
}
