'use client';

import { Button, useToasts } from '@clarion/ui';
import { useState } from 'react';
import { ConfirmAction } from '#lib/dashboard/edit/ConfirmAction.tsx';
import { SecretOnce, type Issued } from '#lib/dashboard/edit/SecretOnce.tsx';
import { useChange } from '#lib/dashboard/queries.ts';
import { firstSecret, type Webhook } from './WebhookSettings.tsx';

export function WebhookSecret({ webhook }: { webhook: Webhook }) {
  const toasts = useToasts();
  const [asking, setAsking] = useState(false);
  const [issued, setIssued] = useState<Issued | null>(null);
  const rotate = useChange('POST', '/v1/webhook/secret', { invalidates: ['/v1/webhook'] });
  if (!webhook.secretSet) {
    return <p className="text-muted">The secret is created with the first URL and shown once.</p>;
  }
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-6 gap-y-3">
        <p className="min-w-0 flex-1 basis-72 text-muted">
          To rotate the secret, create a new one and deploy it to your backend within 24 hours. During this
          time, every request is signed with both secrets.
        </p>
        <Button onClick={() => setAsking(true)}>Create new secret</Button>
      </div>
      <ConfirmAction
        open={asking}
        onClose={() => setAsking(false)}
        title="Create a new webhook secret?"
        confirmLabel="Create new secret"
        onConfirm={async () => {
          const { secret } = await rotate.mutateAsync({});
          setIssued({
            ...firstSecret(secret),
            hint: 'The previous secret stays valid for 24 hours. Deploy the new one to your backend before then.',
          });
          toasts.add({ title: 'Requests are now signed with the new secret' });
        }}
      >
        The current secret stays valid for 24 hours. If you already rotated within the last 24 hours, the
        secret before it stops working immediately.
      </ConfirmAction>
      <SecretOnce issued={issued} onClose={() => setIssued(null)} />
    </>
  );
}
