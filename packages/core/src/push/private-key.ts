/** Private keys from consumers: parsed when they are set, so that an invalid one is reported then and not at the first push. */
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

/** The first byte of an uncompressed point (SEC 1, 2.3.3). */
const UNCOMPRESSED = 4;

/** A key copied through a shell or an environment variable often contains `\n` as two characters instead of line breaks. */
const withLineBreaks = (pem: string) => pem.replaceAll(String.raw`\n`, '\n').replaceAll(String.raw`\r`, '');

/** FCM uses RS256. Null: not an RSA private key. */
export const readRsaKey = (pem: string): string | null =>
  readKey(pem, ({ asymmetricKeyType }) => asymmetricKeyType === 'rsa');

/** APNs uses ES256 with P-256. Null: not such a key. */
export const readP256Key = (pem: string): string | null =>
  readKey(
    pem,
    ({ asymmetricKeyType, asymmetricKeyDetails }) =>
      asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'prime256v1',
  );

/** Converts a key in any supported form to PKCS#8 PEM. */
function readKey(pem: string, fits: (key: KeyObject) => boolean): string | null {
  try {
    const key = createPrivateKey({ key: withLineBreaks(pem), format: 'pem' });
    return fits(key) ? key.export({ format: 'pem', type: 'pkcs8' }).toString() : null;
  } catch {
    return null;
  }
}

/**
 * The key with which this service identifies itself to browsers' push services (RFC 8292). `privateKey`: PKCS#8 PEM. `publicKey`: the
 * uncompressed P-256 point in base64url, as browsers expect it.
 */
export function newVapidKey(): { publicKey: string; privateKey: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const point = Buffer.concat([
    Buffer.of(UNCOMPRESSED),
    Buffer.from(x, 'base64url'),
    Buffer.from(y, 'base64url'),
  ]);
  return {
    publicKey: point.toString('base64url'),
    privateKey: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
  };
}
