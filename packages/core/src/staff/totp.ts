/** Authenticator codes: TOTP with SHA-1, 6 digits and 30 seconds, which every authenticator app supports (RFC 6238). */
import { Secret, TOTP } from 'otpauth';

const ISSUER = 'Clarion';
const DIGITS = 6;
const STEP_SECONDS = 30;
const SECRET_BYTES = 20;
/** A phone's clock may be one step off (RFC 6238, section 5.2). */
const WINDOW_STEPS = 1;

const totpOf = (secret: string, label: string): TOTP =>
  new TOTP({
    issuer: ISSUER,
    label,
    algorithm: 'SHA1',
    digits: DIGITS,
    period: STEP_SECONDS,
    secret: Secret.fromBase32(secret),
  });

/** In base32, for manual entry. */
export const newTotpSecret = (): string => new Secret({ size: SECRET_BYTES }).base32;

/** The URL in the QR code for authenticator apps. */
export const otpauthUri = (secret: string, label: string): string => totpOf(secret, label).toString();

/** The time step of the code; null if it is not currently valid. */
export function stepOfCode(secret: string, code: string, now: Date): number | null {
  const token = code.replaceAll(/\s/g, '');
  if (!/^\d{6}$/.test(token)) return null;
  const delta = totpOf(secret, '').validate({ token, timestamp: now.getTime(), window: WINDOW_STEPS });
  return delta === null ? null : Math.floor(now.getTime() / 1000 / STEP_SECONDS) + delta;
}
