'use client';

import { Button, Card, LiveTimer, ProgressBar, TextLink } from '@clarion/ui';
import { CircleCheck, Send, TriangleAlert } from 'lucide-react';
import { problemMessage } from '#lib/dashboard/edit/error-messages.ts';
import type { WebhookEvent } from '#lib/dashboard/edit/resources.ts';
import { useChange, useGet } from '#lib/dashboard/queries.ts';
import { useUrlState } from '#lib/dashboard/use-url-state.ts';

const POLL_MS = 700;

/** Sends a test event and follows it until the endpoint responds. */
export function TestEvent({ hasUrl }: { hasUrl: boolean }) {
  const send = useChange('POST', '/v1/webhook/test', { invalidates: ['/v1/events'] });
  const sent = send.data?.event;
  return (
    <Card className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-x-6 gap-y-3">
        <div className="min-w-0 flex-1 basis-64">
          <h2 className="font-semibold">Send test event</h2>
          <p className="text-md text-muted">
            {hasUrl
              ? 'Sends a signed event of type webhook.test, regardless of the event types you selected.'
              : 'Set a URL first, then send a test event to check that your backend receives it.'}
          </p>
        </div>
        <Button
          icon={<Send className="size-4" />}
          disabled={!hasUrl}
          busy={send.isPending}
          onClick={() => send.mutate({})}
        >
          Send test event
        </Button>
      </div>
      {send.error !== null && (
        <p role="alert" className="text-md text-negative-text">
          {problemMessage(send.error)}
        </p>
      )}
      {sent !== undefined && <Following key={sent.eventId} sent={sent} />}
    </Card>
  );
}

function Following({ sent }: { sent: WebhookEvent }) {
  const url = useUrlState();
  const path = { eventId: sent.eventId };
  const { data } = useGet('/v1/events/{eventId}', { path }, { refetchInterval: POLL_MS });
  const event = data?.event ?? sent;
  const last = event.attempts.at(-1);
  const details = (
    <TextLink
      href="#"
      onClick={(press) => {
        press.preventDefault();
        url.set({ tab: null, event: sent.eventId });
      }}
    >
      Show request
    </TextLink>
  );
  if (event.status === 'DELIVERED') {
    return (
      <p role="status" className="flex items-start gap-2 text-md">
        <CircleCheck className="mt-0.5 size-4 shrink-0 text-positive" aria-hidden />
        <span>
          Delivered. Your endpoint responded with {last?.status} in {last?.durationMs} ms. {details}
        </span>
      </p>
    );
  }
  if (last !== undefined) {
    return (
      <p role="status" className="flex items-start gap-2 text-md">
        <TriangleAlert className="mt-0.5 size-4 shrink-0 text-warning" aria-hidden />
        <span>
          Not delivered: {last.error}{' '}
          {event.nextAttemptAt !== null && event.status === 'PENDING' && <Next at={event.nextAttemptAt} />}
          {event.status === 'FAILED' && 'The delivery failed. '}
          {details}
        </span>
      </p>
    );
  }
  return <ProgressBar label="Waiting up to 10 seconds for your endpoint to respond" value={null} />;
}

const Next = ({ at }: { at: string }) => (
  <>
    The next attempt is in <LiveTimer since={at} until />.{' '}
  </>
);
