'use client';

import { Button, useToasts } from '@clarion/ui';
import { useState } from 'react';
import { ConfirmAction } from '../../../../lib/dashboard/edit/ConfirmAction.tsx';
import { SecretOnce, type Issued } from '../../../../lib/dashboard/edit/SecretOnce.tsx';
import { useChange } from '../../../../lib/dashboard/queries.ts';
import { firstSecret, type Webhook } from './WebhookSettings.tsx';

export function WebhookSecret({ webhook }: { webhook: Webhook }) {
  const toasts = useToasts();
  const [asking, setAsking] = useState(false);
  const [issued, setIssued] = useState<Issued | null>(null);
  const rotate = useChange('POST', '/v1/webhook/secret', { invalidates: ['/v1/webhook'] });
  if (!webhook.secretSet) {
    return <p className="text-muted">It is made with the first address and shown to you once.</p>;
  }
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-6 gap-y-3">
        <p className="min-w-0 flex-1 basis-72 text-muted">
          There is one. To rotate: make a new one here, give it to your backend within 24 hours. Until then
          every request is signed with both, and either may be checked.
        </p>
        <Button onClick={() => setAsking(true)}>Make a new secret</Button>
      </div>
      <ConfirmAction
        open={asking}
        onClose={() => setAsking(false)}
        title="Make a new webhook secret?"
        confirmLabel="Make a new secret"
        onConfirm={async () => {
          const { secret } = await rotate.mutateAsync({});
          setIssued({
            ...firstSecret(secret),
            hint: 'The one before it signs as well for 24 hours. Give the new one to your backend before then.',
          });
          toasts.add({ title: 'The new secret signs from now on' });
        }}
      >
        The secret of today goes on signing for 24 hours beside the new one. If you rotated within the last
        day, the secret before today’s stops at once.
      </ConfirmAction>
      <SecretOnce issued={issued} onClose={() => setIssued(null)} />
    </>
  );
}
