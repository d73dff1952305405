/** The secret in a dashboard session's cookie: 256 random bits. The database stores only the hash. */
import { createHash, randomBytes } from 'node:crypto';

const SECRET_BYTES = 32;

export const newSessionSecret = (): string => randomBytes(SECRET_BYTES).toString('base64url');

export const sessionHash = (secret: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(createHash('sha256').update(secret).digest());
