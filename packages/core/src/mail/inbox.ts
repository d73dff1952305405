import type { Tx } from '@clarion/db';
import type { SecretBox } from '../security/secret-box.ts';

const INBOX_MAX = 50;

export interface InboxMail {
  id: number;
  to: string;
  subject: string;
  text: string;
  at: Date;
}

/** The newest emails that no mail server has accepted, for installations without one. */
export async function readInbox({ db, secrets }: { db: Tx; secrets: SecretBox }): Promise<InboxMail[]> {
  const rows = await db.mail.findMany({
    where: { sentAt: null },
    orderBy: { id: 'desc' },
    take: INBOX_MAX,
  });
  return rows.map(({ id, to, subject, textSealed, createdAt }) => ({
    id,
    to,
    subject,
    text: secrets.open('mail', textSealed),
    at: createdAt,
  }));
}
