'use client';

import { EmptyState, onDemand, Page, Skeleton } from '@clarion/ui';
import { Network } from 'lucide-react';
import { ReadProblem } from '#lib/dashboard/edit/ReadProblem.tsx';
import { useGet } from '#lib/dashboard/queries.ts';
import { selfServiceTexts } from '#lib/dashboard/trunks/trunk-status.ts';

const NewTrunkForm = onDemand(
  async () => (await import('./NewTrunkForm.tsx')).NewTrunkForm,
  () => <Skeleton className="h-96" />,
);

export function NewTrunkPage() {
  const trunks = useGet('/v1/sip-trunks', {});
  const templates = useGet('/v1/carrier-templates', {});
  const error = trunks.error ?? templates.error;
  const retry = () => {
    for (const each of [trunks, templates]) if (each.error) void each.refetch();
  };
  return (
    <Page
      title="Add a trunk"
      description="Have the email or the portal of your carrier at hand: it lists everything that you need here."
      back={{ label: 'SIP trunks', href: '/app/trunks' }}
      width="narrow"
    >
      {error !== null ? (
        <ReadProblem what="The carrier templates" problem={error} onRetry={retry} />
      ) : trunks.data === undefined || templates.data === undefined ? (
        <Skeleton className="h-96" />
      ) : trunks.data.selfService === 'OFF' ? (
        <EmptyState icon={<Network />} title="Trunks are added by the operator">
          {selfServiceTexts.OFF.meaning}
        </EmptyState>
      ) : (
        <NewTrunkForm
          selfService={trunks.data.selfService}
          templates={templates.data.templates}
          taken={trunks.data.trunks.map(({ name }) => name)}
        />
      )}
    </Page>
  );
}
