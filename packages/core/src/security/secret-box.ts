/**
 * Encryption of stored secrets (docs/requirements.md#authentication): AES-256-GCM with a key derived per purpose from the master key. The
 * format is `v1.<key id>.<base64url of nonce, ciphertext and tag>`; the key ID identifies the master key, so that keys can be rotated.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

export const secretPurposes = [
  'signing-key',
  'webhook-secret',
  'trunk-password',
  'channel-credentials',
  'push-token',
  'push-credentials',
  'file-url',
  'idempotency',
  'dashboard-session',
  'sign-in-form',
  'two-factor',
  'mail',
  'realtime-ticket',
  'client-address',
] as const;
export type SecretPurpose = (typeof secretPurposes)[number];

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const KEY_ID_CHARS = 8;

export interface SecretBox {
  seal(purpose: SecretPurpose, text: string): string;
  /** Throws if the text was changed, or was encrypted for another purpose or with an unknown key. */
  open(purpose: SecretPurpose, sealed: string): string;
  /**
   * A keyed hash by which an encrypted text can be found: with the current master key, then with each older one, for rows stored before a
   * rotation.
   */
  fingerprints(purpose: SecretPurpose, text: string): [string, ...string[]];
  /** HMAC-SHA256 of the text in base64url, for values that we issue and must recognise, such as a download URL. */
  sign(purpose: SecretPurpose, text: string): string;
  /** Whether `sign` created the signature with any listed master key. Takes the same time for every wrong signature. */
  isSigned(purpose: SecretPurpose, text: string, signature: string): boolean;
}

/** The first master key encrypts; the others only decrypt what was encrypted before a rotation. Each is 32 bytes in base64. */
export function createSecretBox(masterKeys: readonly [string, ...string[]]): SecretBox {
  const keys = masterKeys.map((encoded) => {
    const master = Buffer.from(encoded, 'base64');
    if (master.length !== KEY_BYTES) throw new Error('CLARION_MASTER_KEY must be 32 bytes in base64');
    return {
      id: createHash('sha256').update(master).digest('hex').slice(0, KEY_ID_CHARS),
      master,
      derived: new Map(),
    };
  });
  const derive = (
    key: (typeof keys)[number],
    purpose: SecretPurpose | `${SecretPurpose} fingerprint`,
  ): Buffer => {
    const known = key.derived.get(purpose) as Buffer | undefined;
    if (known) return known;
    const made = Buffer.from(hkdfSync('sha256', key.master, '', `clarion ${purpose}`, KEY_BYTES));
    key.derived.set(purpose, made);
    return made;
  };
  const macOf = (key: (typeof keys)[number], purpose: SecretPurpose, text: string): Buffer =>
    createHmac('sha256', derive(key, purpose)).update(text).digest();
  return {
    seal(purpose, text) {
      const [key] = keys;
      if (!key) throw new Error('no master key');
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', derive(key, purpose), nonce);
      const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return `v1.${key.id}.${sealed.toString('base64url')}`;
    },
    open(purpose, sealed) {
      const [version, keyId, payload] = sealed.split('.');
      const key = keys.find(({ id }) => id === keyId);
      if (version !== 'v1' || !key || payload === undefined) throw new Error('encrypted with an unknown key');
      const bytes = Buffer.from(payload, 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', derive(key, purpose), bytes.subarray(0, NONCE_BYTES));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      return Buffer.concat([
        decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)),
        decipher.final(),
      ]).toString('utf8');
    },
    fingerprints(purpose, text) {
      const [first, ...older] = keys.map((key) =>
        createHmac('sha256', derive(key, `${purpose} fingerprint`))
          .update(text)
          .digest('hex'),
      );
      if (first === undefined) throw new Error('no master key');
      return [first, ...older];
    },
    sign(purpose, text) {
      const [key] = keys;
      if (!key) throw new Error('no master key');
      return macOf(key, purpose, text).toString('base64url');
    },
    isSigned(purpose, text, signature) {
      const given = Buffer.from(signature, 'base64url');
      return keys.some((key) => {
        const mac = macOf(key, purpose, text);
        return given.length === mac.length && timingSafeEqual(given, mac);
      });
    },
  };
}
