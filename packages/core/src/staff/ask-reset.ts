import { setTimeout as sleep } from 'node:timers/promises';
import { audit, dashboardUrl, inTransaction } from '../context.ts';
import { queueMail } from '../mail/queue-mail.ts';
import { resetMail } from '../mail/texts.ts';
import { asPerson } from './as-person.ts';
import type { Anonymous } from './as-person.ts';
import { normalEmail } from './email.ts';
import { REFUSAL_MIN_MS, RESET_EVERY_MS } from './staff-limits.ts';
import { newTicket, ticketLink } from './tickets.ts';

/**
 * Mails a link to whoever has the address, if anybody has: the same answer after the same time either way. Somebody who never
 * accepted their invitation gets none: a reset is for those who had a password.
 */
export async function askReset(ctx: Anonymous, email: string): Promise<void> {
  const answerAt = sleep(REFUSAL_MIN_MS);
  await mailLink(ctx, email);
  await answerAt;
}

async function mailLink(ctx: Anonymous, email: string): Promise<void> {
  const person = await ctx.db.staffUser.findUnique({
    where: { email: normalEmail(email) },
    include: { consumer: true },
  });
  if (!person || person.disabledAt || person.passwordHash === null) return;
  if (person.consumer.status === 'SUSPENDED') return;
  await inTransaction(asPerson(ctx, person), async (inner) => {
    const recent = await inner.db.staffTicket.findFirst({
      where: {
        staffUserId: person.id,
        kind: 'RESET',
        createdAt: { gt: new Date(inner.now.getTime() - RESET_EVERY_MS) },
      },
    });
    if (recent) return;
    const link = ticketLink(
      dashboardUrl(inner.settings),
      'RESET',
      await newTicket(inner, person.id, 'RESET'),
    );
    await queueMail(inner, resetMail(person, { link }));
    await audit(inner, { action: 'staff.ask_reset', target: person.email });
  });
}
