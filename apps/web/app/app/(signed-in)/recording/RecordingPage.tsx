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
import { ConfirmAction } from '../../../../lib/dashboard/edit/ConfirmAction.tsx';
import { ReadProblem } from '../../../../lib/dashboard/edit/ReadProblem.tsx';
import { useChange, useGet } from '../../../../lib/dashboard/queries.ts';
import { LinesThatDiffer } from './LinesThatDiffer.tsx';

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
      description="Whether calls are recorded where neither the tenant nor the line says otherwise."
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
                  ? 'On: every call is recorded, except in tenants and on lines that say no.'
                  : 'Off: no call is recorded, except in tenants and on lines that say yes.'
              }
              checked={enabled}
              onCheckedChange={setWanted}
            />
          )}
        </Card>
      )}
      <Callout title="Who decides">
        The line first: Always or Never. A line that says nothing follows its tenant. A tenant that says
        nothing follows this policy. What holds when a call begins holds for the whole call. Agents can pause
        a recording while a caller says something confidential.
      </Callout>
      <Section
        title="Tenants that decide for themselves"
        description="They keep to it whatever the account says."
      >
        <Table
          label="Tenants that differ"
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
              header: 'Records',
              cell: ({ settings }) =>
                settings.recording.enabled ? <Badge tone="positive">On</Badge> : <Badge>Off</Badge>,
            },
            {
              key: 'keeps',
              header: 'Keeps recordings',
              cell: ({ settings: { recording } }) =>
                recording.retentionDays === null ? 'Until deleted' : `${recording.retentionDays} days`,
            },
          ]}
          rows={differing}
          rowKey={({ ref }) => ref}
          stacked
          empty={
            <EmptyState icon={<Disc />} title="Every tenant follows the account">
              A tenant can choose for itself in its settings.
            </EmptyState>
          }
        />
      </Section>
      <LinesThatDiffer tenants={tenants.data?.tenants} />
      <ConfirmAction
        open={wanted !== null}
        onClose={() => setWanted(null)}
        title={wanted === true ? 'Record calls from now on?' : 'Stop recording calls?'}
        confirmLabel={wanted === true ? 'Record calls' : 'Stop recording'}
        onConfirm={async () => {
          await put.mutateAsync({ body: { enabled: wanted === true } });
          toasts.add({ title: wanted === true ? 'Calls are recorded' : 'Calls are no longer recorded' });
        }}
      >
        {wanted === true
          ? 'It holds for calls that begin from now on. In many countries callers must be told: let a flow say so, or your agents.'
          : 'It holds for calls that begin from now on. Calls that are being recorded are recorded to their end, and recordings that exist stay.'}
      </ConfirmAction>
    </Page>
  );
}
