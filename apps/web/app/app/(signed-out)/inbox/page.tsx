import { readInbox } from '@clarion/core/mail/inbox';
import { Card, EmptyState, Page, RelativeTime } from '@clarion/ui';
import { Inbox } from 'lucide-react';
import { headers } from 'next/headers.js';
import { notFound } from 'next/navigation.js';
import { runtime } from '#lib/api/runtime.ts';
import { appUrl } from '#lib/api/session-cookie.ts';
import { MailText } from './MailText.tsx';

export const metadata = { title: 'Local inbox' };

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;
/** A proxy may pass any Host header, so the configured URL must be a loopback one too. */
const isHere = (address: string) => LOOPBACK.test(new URL(address).host);

/**
 * Emails that were not sent, because trial mode has no mail server. A reader of these emails can sign in as any user, so the page is
 * only available in trial mode with the demo account, without a mail server, and under a loopback host name, which other sites cannot
 * use.
 */
export default async function InboxPage() {
  const { env, db, secrets } = runtime();
  const host = (await headers()).get('host') ?? '';
  const isForMe = LOOPBACK.test(host) && isHere(env.CLARION_BASE_URL) && isHere(appUrl(env));
  if (env.CLARION_PRODUCTION || !env.CLARION_DEMO || env.CLARION_SMTP_URL !== '' || !isForMe) notFound();
  const mails = await readInbox({ db, secrets });
  return (
    <main className="min-h-dvh bg-canvas font-sans text-ink">
      <Page
        title="Local inbox"
        width="narrow"
        className="max-w-3xl!"
        description="Emails that were not sent because no mail server is set. Set CLARION_SMTP_URL to send them."
      >
        {mails.length === 0 && (
          <EmptyState icon={<Inbox />} title="No emails yet">
            Invite a person on the People page or reset a password to see the email here.
          </EmptyState>
        )}
        {mails.map(({ id, to, subject, text, at }) => (
          <Card key={id}>
            <article aria-label={subject}>
              <h2 className="font-semibold">{subject}</h2>
              <p className="mb-3 text-md text-muted">
                To {to} · <RelativeTime at={at.toISOString()} />
              </p>
              <MailText text={text} />
            </article>
          </Card>
        ))}
      </Page>
    </main>
  );
}
