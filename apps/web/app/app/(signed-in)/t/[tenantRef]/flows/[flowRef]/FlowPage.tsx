'use client';

import { ErrorState, Page, Skeleton } from '@clarion/ui';
import nextDynamic from 'next/dynamic.js';
import { useMemo } from 'react';
import { ReadProblem } from '../../../../../../../lib/dashboard/edit/ReadProblem.tsx';
import { useGet } from '../../../../../../../lib/dashboard/queries.ts';
import { useUrlState } from '../../../../../../../lib/dashboard/use-url-state.ts';
import { readBeginning } from '../../../../../../../lib/flow-builder/address.ts';
import { draftOf } from '../../../../../../../lib/flow-builder/draft.ts';
import { useWorld } from './use-world.ts';

/** With the canvas, the schemas and the interpreter: only who opens a flow loads it. */
const Builder = nextDynamic(async () => (await import('./Builder.tsx')).Builder, {
  ssr: false,
  loading: () => <Waiting />,
});

export interface FlowPageProps {
  tenantRef: string;
  flowRef: string;
}

/** A flow that is there, or one that begins here and is not stored before it is saved. */
export function FlowPage({ tenantRef, flowRef }: FlowPageProps) {
  const url = useUrlState();
  const path = { tenantRef, flowRef };
  const stored = useGet('/v1/tenants/{tenantRef}/ivr-flows/{flowRef}', { path });
  const beginning = readBeginning(url.get);
  const copyOf = beginning !== null && 'copyOf' in beginning ? beginning.copyOf : null;
  const original = useGet(
    '/v1/tenants/{tenantRef}/ivr-flows/{flowRef}',
    { path: { tenantRef, flowRef: copyOf ?? '-' } },
    { enabled: copyOf !== null },
  );
  const world = useWorld(tenantRef);
  const isNew = stored.error?.status === 404 && beginning !== null;
  const flow = isNew ? null : stored.data?.ivrFlow;
  const copied = original.data?.ivrFlow;
  const first = useMemo(() => (flow ? draftOf(flow) : null), [flow]);
  const copyDraft = useMemo(() => (copied ? draftOf(copied) : null), [copied]);

  if (stored.error !== null && !isNew) {
    return (
      <Page title="IVR flow" back={{ label: 'IVR flows', href: backTo(tenantRef) }}>
        {stored.error.status === 404 ? (
          <ErrorState
            title="There is no such flow"
            detail="It may have been deleted. Look in the list of flows."
          />
        ) : (
          <ReadProblem what="The flow" problem={stored.error} onRetry={() => void stored.refetch()} />
        )}
      </Page>
    );
  }
  const problem = world.error ?? original.error;
  if (problem !== null) {
    return (
      <Page title="IVR flow" back={{ label: 'IVR flows', href: backTo(tenantRef) }}>
        <ReadProblem what="The flow" problem={problem} onRetry={world.retry} />
      </Page>
    );
  }
  if (world.data === null || (!isNew && first === null) || (copyOf !== null && isNew && copyDraft === null))
    return <Waiting />;
  return (
    <Builder
      key={`${tenantRef} ${flowRef}`}
      tenantRef={tenantRef}
      flowRef={flowRef}
      world={world.data}
      stored={isNew || !flow ? null : flow}
      beginning={beginning}
      copied={copyDraft}
    />
  );
}

const backTo = (tenantRef: string) => `/app/t/${encodeURIComponent(tenantRef)}/flows`;

function Waiting() {
  return (
    <div className="flex h-[calc(100dvh-3.5rem)] flex-col gap-4 p-4 lg:h-dvh" role="status">
      <span className="sr-only">Loading the flow</span>
      <Skeleton className="h-9 max-w-80" />
      <Skeleton className="min-h-0 flex-1" />
    </div>
  );
}
