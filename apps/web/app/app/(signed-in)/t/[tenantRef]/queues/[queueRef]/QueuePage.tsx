'use client';

import { Page, Skeleton, onDemand } from '@clarion/ui';
import { ReadProblem } from '#lib/dashboard/edit/ReadProblem.tsx';
import { useMe } from '#lib/dashboard/me.tsx';
import { tenantHome } from '#lib/dashboard/navigation.tsx';
import { useGet } from '#lib/dashboard/queries.ts';
import { LiveFigures } from './LiveFigures.tsx';
import { QueueActions } from './QueueActions.tsx';
import { QueueUses } from './QueueUses.tsx';

const QueueForm = onDemand(
  async () => (await import('./QueueForm.tsx')).QueueForm,
  () => <Skeleton className="h-96" />,
);

interface QueuePageProps {
  tenantRef: string;
  queueRef: string;
}

export function QueuePage({ tenantRef, queueRef }: QueuePageProps) {
  const me = useMe();
  // The whole list, because this queue can overflow to the others.
  const { data, error, refetch } = useGet('/v1/tenants/{tenantRef}/queues', { path: { tenantRef } });
  const queue = data?.queues.find(({ ref }) => ref === queueRef);
  const back = { label: 'Queues', href: `${tenantHome(tenantRef)}/queues` };
  if (error !== null) {
    return (
      <Page title="Queue" back={back}>
        <ReadProblem what="The queue" problem={error} onRetry={() => void refetch()} />
      </Page>
    );
  }
  if (data === undefined) {
    return (
      <Page title={<Skeleton className="h-7 w-40" />} back={back}>
        <Skeleton className="h-20" />
        <Skeleton className="h-96" />
      </Page>
    );
  }
  if (queue === undefined) {
    return (
      <Page title="Queue not found" back={back}>
        <p className="text-muted">
          This queue may have been deleted, or the address may be wrong. Check the list of queues.
        </p>
      </Page>
    );
  }
  return (
    <Page
      title={queue.name}
      back={back}
      description={<span className="font-mono text-sm">{queue.ref}</span>}
      actions={me.may('manage') && <QueueActions tenantRef={tenantRef} queue={queue} />}
    >
      <LiveFigures tenantRef={tenantRef} queueId={queue.id} />
      <QueueUses tenantRef={tenantRef} queue={queue} queues={data.queues} />
      <QueueForm tenantRef={tenantRef} queue={queue} queues={data.queues} />
    </Page>
  );
}
