'use client';

import { Button, useToasts } from '@clarion/ui';
import { useRouter } from 'next/navigation.js';
import { useState } from 'react';
import { ConfirmAction } from '../../../../../../../lib/dashboard/edit/ConfirmAction.tsx';
import type { Queue } from '../../../../../../../lib/dashboard/edit/resources.ts';
import { tenantHome } from '../../../../../../../lib/dashboard/navigation.tsx';
import { useChange } from '../../../../../../../lib/dashboard/queries.ts';

export function QueueActions({ tenantRef, queue }: { tenantRef: string; queue: Queue }) {
  const router = useRouter();
  const toasts = useToasts();
  const [asking, setAsking] = useState(false);
  const remove = useChange('DELETE', '/v1/tenants/{tenantRef}/queues/{queueRef}', {
    onDone: () => router.push(`${tenantHome(tenantRef)}/queues`),
    invalidates: ['/v1/tenants/{tenantRef}/queues', '/v1/tenants/{tenantRef}/reports/live'],
  });
  return (
    <>
      <Button onClick={() => setAsking(true)}>Delete</Button>
      <ConfirmAction
        open={asking}
        onClose={() => setAsking(false)}
        title={`Delete ${queue.name}?`}
        confirmLabel="Delete queue"
        tone="negative"
        onConfirm={async () => {
          await remove.mutateAsync({ path: { tenantRef, queueRef: queue.ref } });
          toasts.add({ title: `${queue.name} was deleted` });
        }}
      >
        Its settings and members go; the agents stay, and so do its past calls in the reports. It is refused
        while a line, a flow, another queue or a live call still uses it. This cannot be undone.
      </ConfirmAction>
    </>
  );
}
