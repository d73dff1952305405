import { Card, Section, Skeleton, TextLink } from '@clarion/ui';
import { CircleCheck, TriangleAlert } from 'lucide-react';
import { useMe } from '#lib/dashboard/me.tsx';
import { tenantHome } from '#lib/dashboard/navigation.tsx';
import type { Overview } from '../HomePage.tsx';

type Attention = Overview['attention'][number];

/** What needs attention, with a link to it. */
export function AttentionList({ attention }: { attention: readonly Attention[] | undefined }) {
  const me = useMe();
  return (
    <Section title="Needs attention">
      {attention === undefined ? (
        <Skeleton className="h-14" />
      ) : attention.length === 0 ? (
        <Card className="flex items-center gap-3 text-md text-muted">
          <CircleCheck aria-hidden className="size-5 shrink-0 text-positive" />
          Everything is in order. Failed deliveries and recordings, queues without agents and disabled lines
          are listed here.
        </Card>
      ) : (
        <Card flush>
          <ul className="divide-y divide-line">
            {attention.map((entry) => {
              const { sentence, href, link } = words(entry, me.may('provision'));
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

function words({ kind, tenantRef, count, about }: Attention, mayProvision: boolean): Words {
  const names = about.join(', ') + (count > about.length && kind === 'LINES_DISABLED' ? ' and more' : '');
  const at = (page: string) => `${tenantHome(tenantRef ?? '')}/${page}`;
  switch (kind) {
    case 'WAITING_UNSTAFFED':
      return {
        sentence: `${count === 1 ? 'One caller is' : `${count} callers are`} waiting in ${names} without an available agent.`,
        href: at('live'),
        link: 'Open the live board',
      };
    case 'DELIVERIES_FAILED':
      return {
        sentence: `${count === 1 ? 'One event' : `${count} events`} could not be delivered to your webhook in the last 7 days.`,
        href: '/app/webhook?status=FAILED',
        link: 'View failed deliveries',
      };
    case 'RECORDINGS_FAILED':
      return {
        sentence: `${count === 1 ? 'One recording' : `${count} recordings`} of ${tenantRef} failed in the last 24 hours.`,
        href: at(`calls/${about[0] ?? ''}`),
        link: 'View the latest',
      };
    case 'TRUNK_DOWN':
      return {
        sentence: `${count === 1 ? 'One trunk carries' : `${count} trunks carry`} no calls: ${names}.`,
        href: mayProvision ? '/app/trunks' : '/docs/guides/sip-trunks',
        link: mayProvision ? 'View trunks' : 'Learn more',
      };
    case 'LINES_DISABLED':
      return {
        sentence: `${count === 1 ? 'One line' : `${count} lines`} of ${tenantRef} ${count === 1 ? 'is' : 'are'} disabled: ${names}.`,
        href: at('lines'),
        link: 'View lines',
      };
    case 'TENANT_SUSPENDED':
      return {
        sentence: `${names} is suspended, and its calls are rejected.`,
        href: '/app/tenants',
        link: 'View tenants',
      };
  }
}
