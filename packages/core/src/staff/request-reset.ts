import { setTimeout as sleep } from 'node:timers/promises';
import { audit, dashboardUrl, inTransaction } from '../context.ts';
import type { Ctx } from '../context.ts';
import { queueMail } from '../mail/queue-mail.ts';
import { resetMail } from '../mail/texts.ts';
import { personContext } from '../session/as-person.ts';
import type { Anonymous } from '../session/as-person.ts';
import { normalEmail } from './email.ts';
import { lockPerson } from './lock-person.ts';
import { REFUSAL_MIN_MS, RESET_EVERY_MS, RESET_MAILS, RESET_MS, RESET_WINDOWS_MS } from './staff-limits.ts';
import { newTicket, ticketLink } from './tickets.ts';

/**
 * Emails a reset link to the person with this address, if there is one; the response and its timing are the same either way. A person who
 * never accepted their invitation gets none, because they have no password to reset.
 */
export async function requestReset(ctx: Anonymous, email: string): Promise<void> {
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
  await inTransaction(personContext(ctx, person), async (inner) => {
    // Locked until the email is counted, so that concurrent requests cannot exceed the limit.
    await lockPerson(inner.db, person.id);
    const lastsMs = resetAllowance(await sentWithinDay(inner, person.id), inner.now);
    if (lastsMs === null) return;
    const secret = await newTicket(inner, person.id, 'RESET', lastsMs);
    const link = ticketLink(dashboardUrl(inner.settings), 'RESET', secret);
    await queueMail(inner, resetMail(person, { link, lasts: lastsMs > RESET_MS ? 'a day' : 'an hour' }));
    await audit(inner, { action: 'staff.ask_reset', target: person.email });
  });
}

async function sentWithinDay({ db, now }: Pick<Ctx, 'db' | 'now'>, staffUserId: number): Promise<Date[]> {
  const tickets = await db.staffTicket.findMany({
    where: {
      staffUserId,
      kind: 'RESET',
      createdAt: { gt: new Date(now.getTime() - RESET_WINDOWS_MS.day) },
    },
    select: { createdAt: true },
  });
  return tickets.map(({ createdAt }) => createdAt);
}

/**
 * The lifetime of the link in one more email; null if no email may be sent now.
 *
 * @param sent when the emails of the last day were sent
 */
export function resetAllowance(sent: readonly Date[], now: Date): number | null {
  const within = (ms: number) => sent.filter((at) => now.getTime() - at.getTime() < ms).length;
  const [ofHour, ofDay] = [within(RESET_WINDOWS_MS.hour), within(RESET_WINDOWS_MS.day)];
  if (within(RESET_EVERY_MS) > 0 || ofHour >= RESET_MAILS.perHour || ofDay >= RESET_MAILS.perDay) return null;
  return ofDay === RESET_MAILS.perDay - 1 ? RESET_WINDOWS_MS.day : RESET_MS;
}
