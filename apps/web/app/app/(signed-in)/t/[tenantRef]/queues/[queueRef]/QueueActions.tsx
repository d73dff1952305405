'use client';

import { Button, useToasts } from '@clarion/ui';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from 'next/navigation.js';
import { useState } from 'react';
import { ConfirmAction } from '#lib/dashboard/edit/ConfirmAction.tsx';
import type { Queue } from '#lib/dashboard/edit/resources.ts';
import { tenantHome } from '#lib/dashboard/navigation.tsx';
import { invalidate, useChange } from '#lib/dashboard/queries.ts';

export function QueueActions({ tenantRef, queue }: { tenantRef: string; queue: Queue }) {
  const router = useRouter();
  const toasts = useToasts();
  const client = useQueryClient();
  const [asking, setAsking] = useState(false);
  const remove = useChange('DELETE', '/v1/tenants/{tenantRef}/queues/{queueRef}');
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
          // Navigate first: this page would show that the queue was not found.
          router.push(`${tenantHome(tenantRef)}/queues`);
          toasts.add({ title: `${queue.name} was deleted` });
          void invalidate(client, ['/v1/tenants/{tenantRef}/queues', '/v1/tenants/{tenantRef}/reports/live']);
        }}
      >
        This deletes the queue and its settings. Its agents and past calls are kept. A queue that is used by a
        line, a flow, another queue or a live call cannot be deleted. This cannot be undone.
      </ConfirmAction>
    </>
  );
}
