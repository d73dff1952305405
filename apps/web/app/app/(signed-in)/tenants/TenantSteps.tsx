'use client';

import { useToasts } from '@clarion/ui';
import { ConfirmAction } from '../../../../lib/dashboard/edit/ConfirmAction.tsx';
import { useChange, useGet } from '../../../../lib/dashboard/queries.ts';
import type { Tenant } from '../../../../lib/dashboard/edit/resources.ts';

interface StepProps {
  tenant: Tenant;
  open: boolean;
  onClose(): void;
}

export function SuspendTenant({ tenant, open, onClose }: StepProps) {
  const toasts = useToasts();
  const live = useGet(
    '/v1/tenants/{tenantRef}/reports/live',
    { path: { tenantRef: tenant.ref } },
    { enabled: open },
  );
  const put = useChange('PUT', '/v1/tenants/{tenantRef}', {
    invalidates: ['/v1/tenants', '/v1/tenants/{tenantRef}'],
  });
  const suspends = tenant.status === 'ACTIVE';
  const liveCalls = live.data?.liveCalls ?? 0;
  return (
    <ConfirmAction
      open={open}
      onClose={onClose}
      title={suspends ? `Suspend ${tenant.name}?` : `Lift the suspension of ${tenant.name}?`}
      confirmLabel={suspends ? 'Suspend tenant' : 'Lift suspension'}
      tone={suspends ? 'negative' : 'accent'}
      onConfirm={async () => {
        await put.mutateAsync({
          path: { tenantRef: tenant.ref },
          body: { name: tenant.name, status: suspends ? 'SUSPENDED' : 'ACTIVE' },
        });
        toasts.add({ title: suspends ? `${tenant.name} is suspended` : `${tenant.name} is active again` });
      }}
    >
      {suspends ? (
        <>
          <p>
            Its agents are disconnected at once and cannot connect again, and it can place no calls.
            {liveCalls > 0 &&
              ` ${liveCalls === 1 ? 'One call is' : `${liveCalls} calls are`} going on now; a call whose agent is gone ends.`}
          </p>
          <p className="mt-2">
            Its lines still take calls, which then wait for nobody: disable them too if callers should be told
            at once.
          </p>
          <p className="mt-2">Nothing is deleted. You can lift the suspension at any time.</p>
        </>
      ) : (
        'Its agents can connect again and its lines take calls at once.'
      )}
    </ConfirmAction>
  );
}

export function DeleteTenant({ tenant, open, onClose, onDone }: StepProps & { onDone(): void }) {
  const toasts = useToasts();
  const remove = useChange('DELETE', '/v1/tenants/{tenantRef}', { invalidates: ['/v1/tenants'] });
  if (tenant.status === 'ACTIVE') {
    return (
      <ConfirmAction
        open={open}
        onClose={onClose}
        title={`${tenant.name} is active`}
        confirmLabel="Understood"
        onConfirm={() => Promise.resolve()}
      >
        Only a suspended tenant can be deleted. Suspend it first, so that nobody is cut off in the middle of a
        call.
      </ConfirmAction>
    );
  }
  return (
    <ConfirmAction
      open={open}
      onClose={onClose}
      title={`Delete ${tenant.name} for good?`}
      confirmLabel="Delete tenant"
      tone="negative"
      typeToConfirm={tenant.ref}
      onConfirm={async () => {
        await remove.mutateAsync({ path: { tenantRef: tenant.ref } });
        toasts.add({ title: `${tenant.name} was deleted` });
        onDone();
      }}
    >
      <p>
        Its agents, queues, lines, flows, audio, all of its calls with their recordings, and the events about
        them go with it. This cannot be undone.
      </p>
    </ConfirmAction>
  );
}
