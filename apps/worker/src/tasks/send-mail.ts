import { sendMail } from '@clarion/core/mail/send-mail';
import type { WorkerTask } from './index.ts';

/** Tried again, later and later, until the mail server takes it. */
export const sendMailTask: WorkerTask<'send-mail'> = async ({ mailId }, ctx) => {
  if (ctx.transport === null) {
    ctx.log.warn({ mailId }, 'email not sent: CLARION_SMTP_URL is not set');
  }
  await sendMail(ctx, mailId, ctx.transport);
};
