/** New secrets. Each is shown once, when it is created. */
import { randomBytes } from 'node:crypto';

const SECRET_BYTES = 32;
const KID_BYTES = 8;

/** HS256 keys: as long as the hash. */
export const newSigningSecret = (): string => randomBytes(SECRET_BYTES).toString('base64url');
export const newKid = (): string => `k_${randomBytes(KID_BYTES).toString('hex')}`;
