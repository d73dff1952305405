/** The browser's side of RFC 8291 (keys and decryption of messages) with Node's own cryptography. */
import { createDecipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';

export interface BrowserKeys {
  /** As in a PushSubscription. */
  readonly p256dh: string;
  readonly auth: string;
  /** @throws if the message was not encrypted with these keys */
  decrypt(body: Buffer): string;
}

const AUTH_BYTES = 16;
const SALT_BYTES = 16;
const KEY_BYTES = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Salt, record size, length of the key ID (RFC 8188, 2.1). */
const HEADER_BYTES = SALT_BYTES + 4 + 1;
/** Ends the last record (RFC 8188, 2). */
const LAST_DELIMITER = 2;

export function createBrowserKeys(): BrowserKeys {
  const ecdh = createECDH('prime256v1');
  const publicKey = ecdh.generateKeys();
  const auth = randomBytes(AUTH_BYTES);
  return {
    p256dh: publicKey.toString('base64url'),
    auth: auth.toString('base64url'),
    decrypt(body) {
      const salt = body.subarray(0, SALT_BYTES);
      const senderKey = body.subarray(HEADER_BYTES, HEADER_BYTES + body.readUInt8(HEADER_BYTES - 1));
      const record = body.subarray(HEADER_BYTES + senderKey.length);
      const info = Buffer.concat([Buffer.from('WebPush: info\0'), publicKey, senderKey]);
      const secret = hkdf(ecdh.computeSecret(senderKey), auth, info, KEY_BYTES * 2);
      const key = hkdf(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), KEY_BYTES);
      const nonce = hkdf(secret, salt, Buffer.from('Content-Encoding: nonce\0'), NONCE_BYTES);
      const decipher = createDecipheriv('aes-128-gcm', key, nonce);
      decipher.setAuthTag(record.subarray(-TAG_BYTES));
      const padded = Buffer.concat([decipher.update(record.subarray(0, -TAG_BYTES)), decipher.final()]);
      const end = padded.lastIndexOf(LAST_DELIMITER);
      if (end < 0) throw new Error('the record has no delimiter');
      return padded.subarray(0, end).toString('utf8');
    },
  };
}

const hkdf = (secret: Buffer, salt: Buffer, info: Buffer, bytes: number): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, bytes));
