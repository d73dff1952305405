/** Private keys that consumers hand us: read once when they are set, so that a wrong one is told then and not by a lost call. */
import { createPrivateKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

/** Keys are often copied through a shell or an environment, which leaves their line breaks as `\n` in two characters. */
const withLineBreaks = (pem: string) => pem.replaceAll(String.raw`\n`, '\n').replaceAll(String.raw`\r`, '');

/** FCM signs RS256. Null: it is no such key. */
export const readRsaKey = (pem: string): string | null =>
  readKey(pem, ({ asymmetricKeyType }) => asymmetricKeyType === 'rsa');

/** APNs signs ES256, on P-256. Null: it is no such key. */
export const readP256Key = (pem: string): string | null =>
  readKey(
    pem,
    ({ asymmetricKeyType, asymmetricKeyDetails }) =>
      asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'prime256v1',
  );

/** → PKCS#8 PEM, whatever form it came in. */
function readKey(pem: string, fits: (key: KeyObject) => boolean): string | null {
  try {
    const key = createPrivateKey({ key: withLineBreaks(pem), format: 'pem' });
    return fits(key) ? key.export({ format: 'pem', type: 'pkcs8' }).toString() : null;
  } catch {
    return null;
  }
}
