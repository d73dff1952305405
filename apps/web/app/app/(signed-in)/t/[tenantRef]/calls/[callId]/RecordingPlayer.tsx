'use client';

import { Badge, DateTime, Notice, Section, Skeleton } from '@clarion/ui';
import dynamic from 'next/dynamic.js';
import { useState } from 'react';
import { ReadProblem } from '#lib/dashboard/edit/ReadProblem.tsx';
import { useGet } from '#lib/dashboard/queries.ts';
import type { CallDetail } from '#lib/dashboard/calls/timeline.ts';

/** The player is loaded only for calls with a recording. */
const Waveform = dynamic(() => import('@clarion/ui/waveform').then((part) => part.Waveform), {
  ssr: false,
  loading: () => <Skeleton className="h-40!" />,
});

const DAY_MS = 86_400_000;
const channels = [{ label: 'Customer' }, { label: 'Agent' }] as const;

interface RecordingPlayerProps {
  callId: number;
  tenantRef: string;
  recording: NonNullable<CallDetail['recording']>;
}

export function RecordingPlayer({ callId, tenantRef, recording }: RecordingPlayerProps) {
  const { status, completedAt, failureReason } = recording;
  const tenant = useGet('/v1/tenants/{tenantRef}', { path: { tenantRef } }).data?.tenant;
  const days = tenant?.settings.recording.retentionDays ?? null;
  return (
    <Section
      title="Recording"
      description={
        status !== 'completed' || completedAt === null ? undefined : days === null ? (
          'Kept until the call is deleted or its customer is erased.'
        ) : (
          <>
            Kept until <DateTime at={Date.parse(completedAt) + days * DAY_MS} />
          </>
        )
      }
      actions={status !== 'completed' && <State status={status} />}
    >
      {status === 'recording' && (
        <Notice tone="accent">
          This call is being recorded. The recording appears here when the call has ended.
        </Notice>
      )}
      {status === 'processing' && (
        <Notice tone="accent">The recording is being processed and appears here when it is ready.</Notice>
      )}
      {status === 'failed' && (
        <Notice tone="negative" title="This call has no recording">
          {failureReason ?? 'The recording could not be created.'}
        </Notice>
      )}
      {status === 'completed' && <Player callId={callId} />}
    </Section>
  );
}

function State({ status }: { status: string }) {
  if (status === 'failed') return <Badge tone="negative">Failed</Badge>;
  return (
    <Badge tone="accent" dot>
      {status === 'recording' ? 'Recording' : 'Processing'}
    </Badge>
  );
}

/** Download URLs expire after five minutes, so the link is renewed. */
const REFRESH_MS = 240_000;

function Player({ callId }: { callId: number }) {
  const { data, error, refetch } = useGet(
    '/v1/calls/{callId}/recording',
    { path: { callId } },
    { refetchInterval: REFRESH_MS },
  );
  if (data !== undefined) return <Loaded callId={callId} url={data.url} />;
  return error === null ? (
    <Skeleton className="h-40!" />
  ) : (
    <ReadProblem what="The recording" problem={error} onRetry={() => void refetch()} />
  );
}

/** The player keeps the first URL. */
function Loaded({ callId, url }: { callId: number; url: string }) {
  const [src] = useState(url);
  return <Waveform src={src} channels={channels} downloadHref={url} label={`Recording of call ${callId}`} />;
}
