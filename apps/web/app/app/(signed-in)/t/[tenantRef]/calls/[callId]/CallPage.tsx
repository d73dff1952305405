'use client';

import {
  Badge,
  ChannelBadge,
  customerLabel,
  EmptyState,
  LiveTimer,
  onDemand,
  Page,
  Section,
  Skeleton,
  Split,
  Stack,
  TextLink,
} from '@clarion/ui';
import { PhoneOff } from 'lucide-react';
import { outcomeLabel } from '#lib/dashboard/calls/outcome-labels.ts';
import { timelineOf } from '#lib/dashboard/calls/timeline.ts';
import { useNames } from '#lib/dashboard/calls/use-names.ts';
import { ReadProblem } from '#lib/dashboard/edit/ReadProblem.tsx';
import { useMe } from '#lib/dashboard/me.tsx';
import { tenantHome } from '#lib/dashboard/navigation.tsx';
import { useCall } from './use-call.ts';
import { CallActions } from './CallActions.tsx';
import { CallEvents } from './CallEvents.tsx';
import { CallDetails } from './CallDetails.tsx';
import { CallParticipants } from './CallParticipants.tsx';
import { CallTimeline } from './CallTimeline.tsx';
import { RecordingPlayer } from './RecordingPlayer.tsx';

const CallLadder = onDemand(
  async () => (await import('./CallLadder.tsx')).CallLadder,
  () => <Skeleton className="h-96!" />,
);
/** Only WhatsApp calls have it. */
const CustomerPermission = onDemand(
  async () => (await import('#lib/dashboard/whatsapp/CustomerPermission.tsx')).CustomerPermission,
  () => <Skeleton className="h-24!" />,
);

export function CallPage({ tenantRef, callId }: { tenantRef: string; callId: number }) {
  const me = useMe();
  const names = useNames(tenantRef, { flows: true });
  const { data, error, refetch } = useCall(callId);
  const back = { label: 'Calls', href: `${tenantHome(tenantRef)}/calls` };
  // A call of another tenant is not found under this URL.
  const gone = error?.status === 404 || (data !== undefined && data.call.tenantRef !== tenantRef);
  if (gone) {
    return (
      <Page title={`Call ${callId}`} back={back}>
        <EmptyState icon={<PhoneOff />} title="Call not found">
          This call was deleted, or it belongs to another tenant.
        </EmptyState>
      </Page>
    );
  }
  if (data === undefined) {
    return (
      <Page title={`Call ${callId}`} back={back}>
        {error === null ? (
          <Stack>
            <Skeleton className="h-40!" />
            <Skeleton className="h-96!" />
          </Stack>
        ) : (
          <ReadProblem what="The call" problem={error} onRetry={() => void refetch()} />
        )}
      </Page>
    );
  }
  const { call, recording } = data;
  const { title, detail, tone, live } = outcomeLabel(call);
  return (
    <Page
      title={customerLabel(call.customer, `Call ${callId}`)}
      description={
        live ? (
          <>
            {detail ?? 'Live now.'} <LiveTimer since={call.answeredAt ?? call.createdAt} />
          </>
        ) : (
          detail
        )
      }
      back={back}
      width="wide"
      mark={
        <span className="inline-flex gap-1.5">
          <Badge tone={tone} dot={live}>
            {title}
          </Badge>
          <ChannelBadge channel={call.channelType} />
          {call.consumerMetadata?.['demo'] === true && <Badge>Sample call</Badge>}
        </span>
      }
      actions={
        <CallActions
          tenantRef={tenantRef}
          call={call}
          live={live}
          recorded={recording !== null && recording.status === 'completed'}
        />
      }
    >
      <Split
        aside={
          <Stack gap="lg">
            <CallDetails call={call} names={names} />
            {call.channelType === 'WHATSAPP' && call.channelId !== null && call.customer.address !== null && (
              <Section title="Permission to call">
                <CustomerPermission
                  tenantRef={tenantRef}
                  channelRef={call.channelRef}
                  address={call.customer.address}
                />
              </Section>
            )}
          </Stack>
        }
      >
        <Stack gap="lg">
          {recording !== null && (
            <RecordingPlayer callId={callId} tenantRef={tenantRef} recording={recording} />
          )}
          {recording === null && call.answeredAt !== null && !live && (
            <p className="text-md text-muted">
              This call was not recorded.{' '}
              {me.may('own') && <TextLink href="/app/recording">Change recording settings</TextLink>}
            </p>
          )}
          <CallTimeline items={timelineOf(data, names)} began={call.createdAt} />
          <CallParticipants detail={data} names={names} />
          {call.endedAt !== null && <CallLadder callId={callId} endedAt={call.endedAt} />}
          {me.kind === 'STAFF' && me.may('manage') && <CallEvents callId={callId} live={live} />}
        </Stack>
      </Split>
    </Page>
  );
}
