'use client';

import {
  Button,
  CodeBlock,
  DateTime,
  DescriptionList,
  Drawer,
  Section,
  Skeleton,
  TextLink,
  Timeline,
  useToasts,
  type TimelineItem,
} from '@clarion/ui';
import { Check, RotateCw, X } from 'lucide-react';
import { problemMessage } from '#lib/dashboard/edit/error-messages.ts';
import { ReadProblem } from '#lib/dashboard/edit/ReadProblem.tsx';
import type { WebhookEvent } from '#lib/dashboard/edit/resources.ts';
import { useLast } from '#lib/dashboard/edit/use-last.ts';
import { useMe } from '#lib/dashboard/me.tsx';
import { tenantHome } from '#lib/dashboard/navigation.tsx';
import { useChange, useGet } from '#lib/dashboard/queries.ts';
import { EventStatusBadge } from './EventStatusBadge.tsx';

const POLL_MS = 1_500;

interface EventDrawerProps {
  eventId: string | null;
  onClose(): void;
}

/** One event: the body as sent, and the result of each attempt. */
export function EventDrawer({ eventId, onClose }: EventDrawerProps) {
  const me = useMe();
  const toasts = useToasts();
  const shown = useLast(eventId);
  const { data, error, refetch } = useGet(
    '/v1/events/{eventId}',
    { path: { eventId: shown ?? '' } },
    { enabled: eventId !== null, refetchInterval: POLL_MS },
  );
  const again = useChange('POST', '/v1/events/{eventId}/redeliver', {
    invalidates: ['/v1/events', '/v1/events/{eventId}'],
    onDone: () => toasts.add({ title: 'The event is being sent again' }),
  });
  return (
    <Drawer
      open={eventId !== null}
      onOpenChange={(next) => next || onClose()}
      title={data?.event.eventType ?? 'Event'}
      size="lg"
      {...(data !== undefined &&
        me.may('manage') && {
          footer: (
            <Button
              icon={<RotateCw className="size-4" />}
              busy={again.isPending}
              onClick={() => again.mutate({ path: { eventId: shown ?? '' } })}
            >
              Send again
            </Button>
          ),
        })}
    >
      {error !== null && <ReadProblem what="The event" problem={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton className="h-64" />}
      {again.error !== null && (
        <p role="alert" className="text-negative-text">
          {problemMessage(again.error)}
        </p>
      )}
      {data !== undefined && (
        <div className="flex flex-col gap-7">
          <Facts event={data.event} />
          <Section title="Attempts">
            <Attempts event={data.event} />
          </Section>
          <Section
            title="Body"
            description="Sent unchanged on every attempt. Line breaks are added here for readability."
          >
            <CodeBlock language="JSON" text={pretty(data.body)} />
          </Section>
          <Section title="Headers">
            <DescriptionList items={headers(data.event)} />
          </Section>
        </div>
      )}
    </Drawer>
  );
}

function Facts({ event }: { event: WebhookEvent }) {
  return (
    <DescriptionList
      items={[
        { term: 'Status', value: <EventStatusBadge event={event} /> },
        { term: 'Event ID', value: <code className="font-mono">{event.eventId}</code>, copy: event.eventId },
        { term: 'Occurred', value: <DateTime at={event.occurredAt} seconds /> },
        ...(event.nextAttemptAt === null
          ? []
          : [{ term: 'Next attempt', value: <DateTime at={event.nextAttemptAt} seconds /> }]),
        ...(event.callId === null || event.tenantRef === null
          ? []
          : [
              {
                term: 'Call',
                value: (
                  <TextLink href={`${tenantHome(event.tenantRef)}/calls/${event.callId}`}>
                    Call {event.callId}
                  </TextLink>
                ),
              },
            ]),
      ]}
    />
  );
}

function Attempts({ event: { attempts, status } }: { event: WebhookEvent }) {
  if (attempts.length === 0) {
    return (
      <p className="text-muted">
        {status === 'DISCARDED'
          ? 'No attempts, because no webhook URL was set or the event type was not selected. You can send it now.'
          : 'No attempts yet. The first one follows in a moment.'}
      </p>
    );
  }
  return (
    <Timeline
      items={attempts.map((attempt): TimelineItem => {
        const { at, durationMs, error, responseSnippet } = attempt;
        const answer = attempt.status === null ? 'No response' : `Status ${attempt.status}`;
        return {
          at,
          title: `${answer} in ${durationMs} ms`,
          tone: error === null ? 'positive' : 'negative',
          icon: error === null ? <Check /> : <X />,
          detail: (
            <>
              {error}
              {responseSnippet !== null && responseSnippet !== '' && (
                <CodeBlock language="Response body" text={responseSnippet} wrap className="mt-2" />
              )}
            </>
          ),
        };
      })}
    />
  );
}

const headers = ({ eventId }: WebhookEvent) => [
  {
    term: <code className="font-mono text-sm">X-Clarion-Signature</code>,
    value:
      't=<Unix seconds>,v1=<hex>: HMAC-SHA256 of the timestamp, a dot and the raw body, keyed with your secret. Each attempt has its own signature. For 24 hours after a rotation there are two v1 values.',
  },
  {
    term: <code className="font-mono text-sm">webhook-id</code>,
    value: <code className="font-mono">{eventId}</code>,
  },
  {
    term: <code className="font-mono text-sm">webhook-timestamp</code>,
    value: 'The Unix time of the attempt in seconds. Reject requests that are older than 5 minutes.',
  },
  {
    term: <code className="font-mono text-sm">webhook-signature</code>,
    value: 'The signature as defined by the Standard Webhooks specification.',
  },
];

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
