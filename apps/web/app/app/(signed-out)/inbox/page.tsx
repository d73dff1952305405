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
/** A proxy in front may say any name; a copy that others reach knows its own address. */
const isHere = (address: string) => LOOPBACK.test(new URL(address).host);

/**
 * Mails that no mail server has taken, on a copy that somebody tries out. Whoever reads them can sign in as anybody: it is only
 * available in trial mode with the demo account, without a mail server, and under this machine's own name, which another site's page
 * cannot use.
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
