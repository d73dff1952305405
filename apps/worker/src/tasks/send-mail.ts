import { sendMail } from '@clarion/core/mail/send-mail';
import type { WorkerTask } from './index.ts';

/** Retried with increasing delays until the mail server accepts the email. */
export const sendMailTask: WorkerTask<'send-mail'> = async ({ mailId }, ctx) => {
  if (ctx.transport === null) {
    ctx.log.warn({ mailId }, 'email not sent: CLARION_SMTP_URL is not set');
  }
  await sendMail(ctx, mailId, ctx.transport);
};
