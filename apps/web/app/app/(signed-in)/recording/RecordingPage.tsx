'use client';

import {
  Badge,
  Callout,
  Card,
  EmptyState,
  Page,
  Section,
  Skeleton,
  SwitchField,
  Table,
  TextLink,
  useToasts,
} from '@clarion/ui';
import { Disc } from 'lucide-react';
import { useState } from 'react';
import { ConfirmAction } from '#lib/dashboard/edit/ConfirmAction.tsx';
import { ReadProblem } from '#lib/dashboard/edit/ReadProblem.tsx';
import { useChange, useGet } from '#lib/dashboard/queries.ts';
import { LineOverrides } from './LineOverrides.tsx';

export function RecordingPage() {
  const toasts = useToasts();
  const { data, error, refetch } = useGet('/v1/recording-policy', {});
  const tenants = useGet('/v1/tenants', {});
  const [wanted, setWanted] = useState<boolean | null>(null);
  const put = useChange('PUT', '/v1/recording-policy', {
    invalidates: ['/v1/recording-policy', '/v1/tenants/{tenantRef}/channels'],
  });
  const enabled = data?.recordingPolicy.enabled;
  const differing = tenants.data?.tenants.filter(({ settings }) => settings.recording.enabled !== null);
  return (
    <Page
      title="Recording"
      description="The default recording setting. Tenants and lines can override it."
      width="normal"
    >
      {error !== null ? (
        <ReadProblem what="The recording policy" problem={error} onRetry={() => void refetch()} />
      ) : (
        <Card>
          {enabled === undefined ? (
            <Skeleton className="h-10" />
          ) : (
            <SwitchField
              label="Record calls"
              hint={
                enabled
                  ? 'All calls are recorded, except for tenants and lines that turn recording off.'
                  : 'No calls are recorded, except for tenants and lines that turn recording on.'
              }
              checked={enabled}
              onCheckedChange={setWanted}
            />
          )}
        </Card>
      )}
      <Callout title="Which setting applies">
        A line’s setting applies first, then the tenant’s, then this policy. The setting at the start of a
        call applies to the whole call. Agents can pause the recording while a customer shares confidential
        information.
      </Callout>
      <Section
        title="Tenants with their own setting"
        description="These settings override the policy of the account."
      >
        <Table
          label="Tenants with their own setting"
          columns={[
            {
              key: 'name',
              header: 'Tenant',
              cell: ({ name, ref }) => (
                <TextLink href={`/app/tenants?open=${encodeURIComponent(ref)}`}>{name}</TextLink>
              ),
            },
            {
              key: 'choice',
              header: 'Recording',
              cell: ({ settings }) =>
                settings.recording.enabled ? <Badge tone="positive">On</Badge> : <Badge>Off</Badge>,
            },
            {
              key: 'keeps',
              header: 'Retention',
              cell: ({ settings: { recording } }) =>
                recording.retentionDays === null ? 'Until deleted' : `${recording.retentionDays} days`,
            },
          ]}
          rows={differing}
          rowKey={({ ref }) => ref}
          stacked
          empty={
            <EmptyState icon={<Disc />} title="All tenants use the account’s policy">
              You can override the policy for a tenant in its settings.
            </EmptyState>
          }
        />
      </Section>
      <LineOverrides tenants={tenants.data?.tenants} />
      <ConfirmAction
        open={wanted !== null}
        onClose={() => setWanted(null)}
        title={wanted === true ? 'Record calls?' : 'Stop recording calls?'}
        confirmLabel={wanted === true ? 'Record calls' : 'Stop recording'}
        onConfirm={async () => {
          await put.mutateAsync({ body: { enabled: wanted === true } });
          toasts.add({ title: wanted === true ? 'Calls are recorded' : 'Calls are no longer recorded' });
        }}
      >
        {wanted === true
          ? 'This applies to new calls. In many countries you must inform callers, for example with a message in a flow.'
          : 'This applies to new calls. Live recordings continue to the end of the call, and existing recordings are kept.'}
      </ConfirmAction>
    </Page>
  );
}
