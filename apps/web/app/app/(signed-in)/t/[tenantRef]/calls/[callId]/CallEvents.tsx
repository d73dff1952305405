'use client';

import { Badge, DateTime, Section, Table, type Column, type Tone } from '@clarion/ui';
import { ReadProblem } from '#lib/dashboard/edit/ReadProblem.tsx';
import type { WebhookEvent } from '#lib/dashboard/edit/resources.ts';
import { useMe } from '#lib/dashboard/me.tsx';
import { useGet } from '#lib/dashboard/queries.ts';

/** More events than any call has. */
const EVENTS_MAX = 100;

const states: Record<WebhookEvent['status'], { word: string; tone: Tone }> = {
  PENDING: { word: 'Pending', tone: 'accent' },
  DELIVERED: { word: 'Delivered', tone: 'positive' },
  FAILED: { word: 'Failed', tone: 'negative' },
  DISCARDED: { word: 'Discarded', tone: 'neutral' },
};

const columns: Column<WebhookEvent>[] = [
  {
    key: 'type',
    header: 'Event',
    cell: ({ eventType }) => <code className="font-mono text-sm">{eventType}</code>,
  },
  {
    key: 'status',
    header: 'Webhook',
    cell: ({ status }) => <Badge tone={states[status].tone}>{states[status].word}</Badge>,
  },
  { key: 'attempts', header: 'Attempts', align: 'end', cell: ({ attempts }) => attempts.length },
  {
    key: 'answer',
    header: 'Last response',
    align: 'end',
    hideBelow: 'md',
    cell: ({ attempts }) => attempts.at(-1)?.status ?? attempts.at(-1)?.error ?? '',
  },
  {
    key: 'at',
    header: 'Occurred',
    align: 'end',
    nowrap: true,
    cell: ({ occurredAt }) => <DateTime at={occurredAt} seconds />,
  },
];

/** The webhook events of this call. */
export function CallEvents({ callId, live }: { callId: number; live: boolean }) {
  const me = useMe();
  const { data, error, refetch } = useGet(
    '/v1/events',
    { query: { call_id: callId, limit: EVENTS_MAX } },
    { refetchInterval: live ? 4_000 : false },
  );
  return (
    <Section
      title="Webhook events"
      description="The events of this call and whether they were delivered to your webhook."
    >
      {error !== null ? (
        <ReadProblem what="The events" problem={error} onRetry={() => void refetch()} />
      ) : (
        <Table
          label="Webhook events of the call"
          columns={columns}
          rows={data?.events.toReversed()}
          rowKey={({ eventId }) => eventId}
          {...(me.may('own') && { rowHref: ({ eventId }) => `/app/webhook?event=${eventId}` })}
          stacked
          empty={
            <p className="px-5 py-6 text-md text-muted">
              This call has no events. They were deleted, or its customer was erased.
            </p>
          }
        />
      )}
    </Section>
  );
}
