import type { Database } from '@clarion/db';
import type { SecretBox } from '../security/secret-box.ts';
import type { NewMail } from './queue-mail.ts';

/** Hands a mail to a mail server; rejects when that does not take it. */
export type Transport = (mail: NewMail) => Promise<void>;

const FAILURE_MAX_CHARS = 500;
/** What is left of a text that is on its way: its links are for one reader. */
const SENT = '';

/**
 * Sends a mail once. A failure is written beside it and thrown, for the job to be tried again.
 *
 * @param transport null: there is no mail server, and the mail stays where the local inbox shows it
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
