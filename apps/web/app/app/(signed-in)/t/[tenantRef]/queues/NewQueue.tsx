'use client';

import { RadioCards, useToasts } from '@clarion/ui';
import { useRouter } from 'next/navigation.js';
import { useRef } from 'react';
import { EditDrawer } from '#lib/dashboard/edit/EditDrawer.tsx';
import { NameAndRef } from '#lib/dashboard/edit/NameAndRef.tsx';
import { newRef } from '#lib/dashboard/edit/new-ref.ts';
import { useDraft } from '#lib/dashboard/edit/use-draft.ts';
import { tenantHome } from '#lib/dashboard/navigation.tsx';
import { useChange } from '#lib/dashboard/queries.ts';
import { strategyChoices } from './StrategyChoices.tsx';
import type { Strategy } from './strategies.ts';

interface NewQueueProps {
  tenantRef: string;
  open: boolean;
  taken: readonly string[];
  onClose(): void;
}

/** Asks for the required settings only. The queue's page has the rest. */
export function NewQueue({ tenantRef, open, taken, onClose }: NewQueueProps) {
  const router = useRouter();
  const toasts = useToasts();
  const created = useRef<string | null>(null);
  const { draft, change, dirty } = useDraft<{ name: string; ref: string; strategy: Strategy }>(open, () => ({
    name: '',
    ref: '',
    strategy: 'ROUND_ROBIN',
  }));
  const put = useChange('PUT', '/v1/tenants/{tenantRef}/queues/{queueRef}', {
    invalidates: ['/v1/tenants/{tenantRef}/queues', '/v1/tenants/{tenantRef}/reports/live'],
  });
  return (
    <EditDrawer
      open={open}
      onClose={() => {
        // Closing writes the address of this page, which would call the way to the next one off.
        if (created.current === null) onClose();
        else router.push(`${tenantHome(tenantRef)}/queues/${encodeURIComponent(created.current)}`);
      }}
      title="New queue"
      description="You add members and change other settings on the next page."
      dirty={dirty}
      saveLabel="Create queue"
      onSave={async () => {
        const queueRef = newRef('queue_ref', draft.ref, taken);
        await put.mutateAsync({
          path: { tenantRef, queueRef },
          body: { name: draft.name, strategy: draft.strategy },
        });
        toasts.add({
          title: `${draft.name} was created`,
          description: 'Add its members next.',
          tone: 'positive',
        });
        created.current = queueRef;
      }}
    >
      <NameAndRef noun="queue" refField="queue_ref" value={draft} onChange={change} taken={taken} />
      <RadioCards
        name="strategy"
        label="Ring strategy"
        value={draft.strategy}
        choices={strategyChoices}
        onValueChange={(strategy) => change({ strategy: strategy as Strategy })}
      />
    </EditDrawer>
  );
}
