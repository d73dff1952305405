'use client';

import { Badge, Button, EmptyState, RelativeTime, Section, Table, useToasts, type Column } from '@clarion/ui';
import { MonitorSmartphone } from 'lucide-react';
import { ReadProblem } from '#lib/dashboard/edit/ReadProblem.tsx';
import { useChange, useGet } from '#lib/dashboard/queries.ts';
import type { Answer } from '#lib/dashboard/request.ts';
import { signOut } from '#lib/session/sign-out.ts';
import { describeBrowser } from './describe-browser.ts';

type Session = Answer<'GET', '/v1/me/sessions'>['sessions'][number];

export function Sessions() {
  const toasts = useToasts();
  const { data, error, refetch } = useGet('/v1/me/sessions', {});
  const end = useChange('DELETE', '/v1/me/sessions/{sessionId}', { invalidates: ['/v1/me/sessions'] });
  const columns: Column<Session>[] = [
    {
      key: 'browser',
      header: 'Browser',
      cell: ({ userAgent, current }) => (
        <span className="flex flex-wrap items-center gap-2">
          {describeBrowser(userAgent)}
          {current && <Badge tone="accent">This browser</Badge>}
        </span>
      ),
    },
    {
      key: 'address',
      header: 'IP address',
      cell: ({ address }) => <span className="font-mono text-sm">{address ?? 'unknown'}</span>,
    },
    {
      key: 'began',
      header: 'Signed in',
      hideBelow: 'md',
      cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
    },
    { key: 'seen', header: 'Last active', cell: ({ lastSeenAt }) => <RelativeTime at={lastSeenAt} /> },
    {
      key: 'end',
      header: <span className="sr-only">Sign out</span>,
      align: 'end',
      cell: (session) => (
        <Button
          size="sm"
          tone="plain"
          aria-label={
            session.current ? 'Sign out of this browser' : `Sign out ${describeBrowser(session.userAgent)}`
          }
          onClick={() => {
            if (session.current) return void signOut();
            end.mutate(
              { path: { sessionId: session.id } },
              {
                onSuccess: () => toasts.add({ title: 'The browser was signed out' }),
                onError: ({ message }) => toasts.add({ title: message, tone: 'negative' }),
              },
            );
          }}
        >
          Sign out
        </Button>
      ),
    },
  ];
  return (
    <Section
      title="Active sessions"
      description="If you do not recognise a browser, sign it out and change your password."
    >
      {error !== null ? (
        <ReadProblem what="Your sessions" problem={error} onRetry={() => void refetch()} />
      ) : (
        <Table
          label="Active sessions"
          columns={columns}
          rows={data?.sessions}
          rowKey={({ id }) => id}
          stacked
          empty={<EmptyState icon={<MonitorSmartphone />} title="No active sessions" />}
        />
      )}
    </Section>
  );
}
