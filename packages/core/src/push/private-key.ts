/** Private keys from consumers: parsed when they are set, so that an invalid one is reported then and not at the first push. */
import { createPrivateKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

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
