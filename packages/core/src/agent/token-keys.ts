import type { Tx } from '@clarion/db';
import type { SecretBox } from '../security/secret-box.ts';
import type { FindTokenKey } from './signed-token.ts';

/** Finds active signing keys in the database. */
export const keysIn =
  (db: Tx, secrets: SecretBox): FindTokenKey =>
  async (slug, kid) => {
    const key = await db.signingKey.findFirst({
      where: { kid, revokedAt: null, consumer: { slug } },
      select: { id: true, consumerId: true, secretSealed: true },
    });
    return (
      key && { id: key.id, consumerId: key.consumerId, secret: secrets.open('signing-key', key.secretSealed) }
    );
  };
