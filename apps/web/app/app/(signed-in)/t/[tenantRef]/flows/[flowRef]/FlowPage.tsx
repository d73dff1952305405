'use client';

import { ErrorState, Page, Skeleton } from '@clarion/ui';
import nextDynamic from 'next/dynamic.js';
import { useState } from 'react';
import { ReadProblem } from '#lib/dashboard/edit/ReadProblem.tsx';
import { useGet } from '#lib/dashboard/queries.ts';
import { useUrlState } from '#lib/dashboard/use-url-state.ts';
import { isGoingOn, readBeginning } from '#lib/flow-builder/address.ts';
import { draftOf } from '#lib/flow-builder/draft.ts';
import type { BuilderProps } from './Builder.tsx';
import { useFlowResources } from './use-flow-resources.ts';

/** Contains the canvas, the schemas and the interpreter, so it is loaded on this page only. */
const Builder = nextDynamic(async () => (await import('./Builder.tsx')).Builder, {
  ssr: false,
  loading: () => <Waiting />,
});

export interface FlowPageProps {
  tenantRef: string;
  flowRef: string;
}

/** A stored flow, or a new one that is not stored until it is saved. */
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
  const world = useFlowResources(tenantRef);
  const isNew = stored.error?.status === 404 && beginning !== null;
  const flow = isNew ? null : (stored.data?.ivrFlow ?? null);
  const copied = original.data?.ivrFlow;
  const isReady = (flow !== null || isNew) && (copyOf === null || !isNew || copied !== undefined);
  // Loaded once, without a cache: a refetch must not replace the draft, and the draft must not start from stale data.
  const [opened, setOpened] = useState<Pick<BuilderProps, 'stored' | 'beginning' | 'copied' | 'goOn'> | null>(
    null,
  );
  if (opened === null && isReady && !stored.isFetching)
    setOpened({
      stored: flow,
      beginning,
      copied: isNew && copied ? draftOf(copied) : null,
      goOn: isGoingOn(url.get),
    });

  if (opened !== null && world.data !== null)
    return <Builder tenantRef={tenantRef} flowRef={flowRef} world={world.data} {...opened} />;
  const problem = (opened === null && !isNew ? stored.error : null) ?? original.error ?? world.error;
  if (problem === null) return <Waiting />;
  return (
    <Page
      title="IVR flow"
      back={{ label: 'IVR flows', href: `/app/t/${encodeURIComponent(tenantRef)}/flows` }}
    >
      {problem.status === 404 ? (
        <ErrorState
          title="Flow not found"
          detail="This flow may have been deleted. Check the list of flows."
        />
      ) : (
        <ReadProblem what="The flow" problem={problem} onRetry={() => location.reload()} />
      )}
    </Page>
  );
}

function Waiting() {
  return (
    <div className="flex h-[calc(100dvh-3.5rem)] flex-col gap-4 p-4 lg:h-dvh" role="status">
      <span className="sr-only">Loading flow</span>
      <Skeleton className="h-9 max-w-80" />
      <Skeleton className="min-h-0 flex-1" />
    </div>
  );
}
