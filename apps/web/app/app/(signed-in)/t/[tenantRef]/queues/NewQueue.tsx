'use client';

import { RadioCards, TextField, useToasts } from '@clarion/ui';
import { useRouter } from 'next/navigation.js';
import { useRef } from 'react';
import { EditDrawer } from '../../../../../../lib/dashboard/edit/EditDrawer.tsx';
import { RefField } from '../../../../../../lib/dashboard/edit/RefField.tsx';
import { refuseTaken } from '../../../../../../lib/dashboard/edit/ref-taken.ts';
import { suggestRef } from '../../../../../../lib/dashboard/edit/suggest-ref.ts';
import { useDraft } from '../../../../../../lib/dashboard/edit/use-draft.ts';
import { tenantHome } from '../../../../../../lib/dashboard/navigation.tsx';
import { useChange } from '../../../../../../lib/dashboard/queries.ts';
import { strategyChoices } from './StrategyChoices.tsx';
import type { Strategy } from './strategies.ts';

interface NewQueueProps {
  tenantRef: string;
  open: boolean;
  taken: readonly string[];
  onClose(): void;
}

/** Only what a queue cannot do without; its page has the rest. */
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
      description="Its members and everything else come on the next page."
      dirty={dirty}
      saveLabel="Create queue"
      onSave={async () => {
        refuseTaken('queue_ref', draft.ref, taken);
        const queueRef = draft.ref.trim();
        await put.mutateAsync({
          path: { tenantRef, queueRef },
          body: { name: draft.name, strategy: draft.strategy },
        });
        toasts.add({
          title: `${draft.name} was created`,
          description: 'Add its members now.',
          tone: 'positive',
        });
        created.current = queueRef;
      }}
    >
      <TextField
        name="name"
        label="Name"
        value={draft.name}
        onValueChange={(name) =>
          change(
            draft.ref === suggestRef(draft.name, taken) ? { name, ref: suggestRef(name, taken) } : { name },
          )
        }
        required
      />
      <RefField name="queue_ref" noun="queue" value={draft.ref} onValueChange={(ref) => change({ ref })} />
      <RadioCards
        name="strategy"
        label="Who rings"
        value={draft.strategy}
        choices={strategyChoices}
        onValueChange={(strategy) => change({ strategy: strategy as Strategy })}
      />
    </EditDrawer>
  );
}
