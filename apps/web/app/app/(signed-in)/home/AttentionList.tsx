import { Card, Section, Skeleton, TextLink } from '@clarion/ui';
import { CircleCheck, TriangleAlert } from 'lucide-react';
import { tenantHome } from '../../../../lib/dashboard/navigation.tsx';
import type { Overview } from '../HomePage.tsx';

type Attention = Overview['attention'][number];

/** What somebody should look at, and where. */
export function AttentionList({ attention }: { attention: readonly Attention[] | undefined }) {
  return (
    <Section title="Needs attention">
      {attention === undefined ? (
        <Skeleton className="h-14" />
      ) : attention.length === 0 ? (
        <Card className="flex items-center gap-3 text-md text-muted">
          <CircleCheck aria-hidden className="size-5 shrink-0 text-positive" />
          Nothing. Failed deliveries, failed recordings, queues nobody serves and lines that are off show up
          here.
        </Card>
      ) : (
        <Card flush>
          <ul className="divide-y divide-line">
            {attention.map((entry) => {
              const { sentence, href, link } = words(entry);
              return (
                <li
                  key={`${entry.kind} ${entry.tenantRef}`}
                  className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3 sm:px-5"
                >
                  <TriangleAlert aria-hidden className="size-4.5 shrink-0 text-warning" />
                  <p className="min-w-0 flex-1 basis-56 text-md text-pretty">{sentence}</p>
                  <TextLink href={href}>{link}</TextLink>
                </li>
              );
            })}
          </ul>
        </Card>
      )}
    </Section>
  );
}

interface Words {
  sentence: string;
  href: string;
  link: string;
}

function words({ kind, tenantRef, count, about }: Attention): Words {
  const names = about.join(', ') + (count > about.length && kind === 'LINES_DISABLED' ? ' and more' : '');
  const at = (page: string) => `${tenantHome(tenantRef ?? '')}/${page}`;
  switch (kind) {
    case 'WAITING_UNSTAFFED':
      return {
        sentence: `${count === 1 ? 'A caller waits' : `${count} callers wait`} in ${names}, and no agent is there to answer.`,
        href: at('live'),
        link: 'Open the live board',
      };
    case 'DELIVERIES_FAILED':
      return {
        sentence: `${count === 1 ? 'An event was' : `${count} events were`} given up in the last 24 hours: your webhook did not take ${count === 1 ? 'it' : 'them'}.`,
        href: '/app/webhook?status=FAILED',
        link: 'See what it answered',
      };
    case 'RECORDINGS_FAILED':
      return {
        sentence: `${count === 1 ? 'A recording' : `${count} recordings`} of ${tenantRef} failed in the last 24 hours.`,
        href: at(`calls/${about[0] ?? ''}`),
        link: 'Open the latest',
      };
    case 'TRUNK_DOWN':
      return {
        sentence: `${count === 1 ? 'A trunk carries' : `${count} trunks carry`} no calls: ${names}.`,
        href: '/docs/guides/lines',
        link: 'What that means',
      };
    case 'LINES_DISABLED':
      return {
        sentence: `${count === 1 ? 'A line' : `${count} lines`} of ${tenantRef} ${count === 1 ? 'is' : 'are'} switched off: ${names}.`,
        href: at('lines'),
        link: 'Open the lines',
      };
    case 'TENANT_SUSPENDED':
      return {
        sentence: `${names} is suspended: its calls are refused.`,
        href: '/app/tenants',
        link: 'Open the tenants',
      };
  }
}
