import type { Database } from '@clarion/db';
import type { SecretBox } from '../security/secret-box.ts';
import type { NewMail } from './queue-mail.ts';

/** Sends an email to a mail server; rejects if the server does not accept it. */
export type Transport = (mail: NewMail) => Promise<void>;

const FAILURE_MAX_CHARS = 500;
/** Replaces the text of an email that has been sent, because its links are for one reader. */
const SENT = '';

/**
 * Sends an email once. A failure is stored with it and thrown, so that the job is retried.
 *
 * @param transport null: there is no mail server, and the email stays in the local inbox
 */
export async function sendMail(
  { db, secrets, now }: { db: Database; secrets: SecretBox; now: () => Date },
  mailId: number,
  transport: Transport | null,
): Promise<void> {
  const mail = await db.mail.findUnique({ where: { id: mailId } });
  if (!mail || mail.sentAt || transport === null) return;
  const where = { id: mailId };
  try {
    await transport({ to: mail.to, subject: mail.subject, text: secrets.open('mail', mail.textSealed) });
  } catch (error) {
    const failure = (error instanceof Error ? error.message : String(error)).slice(0, FAILURE_MAX_CHARS);
    await db.mail.update({ where, data: { failure } });
    throw error;
  }
  await db.mail.update({ where, data: { sentAt: now(), failure: null, textSealed: SENT } });
}
