import { enqueue } from '@clarion/db';
import type { Ctx } from '../context.ts';

export interface NewMail {
  to: string;
  subject: string;
  /** Plain text, encrypted because it may contain a link. */
  text: string;
}

/** Sent by the worker, if and only if the transaction is committed. */
export async function queueMail(
  { db, secrets, now }: Pick<Ctx, 'db' | 'secrets' | 'now'>,
  { to, subject, text }: NewMail,
): Promise<void> {
  const { id } = await db.mail.create({
    data: { to, subject, textSealed: secrets.seal('mail', text), createdAt: now },
  });
  await enqueue(db, 'send-mail', { mailId: id }, { key: `send-mail:${id}` });
}
