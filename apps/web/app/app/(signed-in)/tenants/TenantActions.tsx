'use client';

import { useToasts } from '@clarion/ui';
import { ConfirmAction } from '#lib/dashboard/edit/ConfirmAction.tsx';
import { useChange, useGet } from '#lib/dashboard/queries.ts';
import type { Tenant } from '#lib/dashboard/edit/resources.ts';

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
            Its agents are disconnected immediately and cannot reconnect, and it cannot place calls.
            {liveCalls > 0 &&
              ` ${liveCalls === 1 ? 'One call is' : `${liveCalls} calls are`} live now and will end when the agent is disconnected.`}
          </p>
          <p className="mt-2">
            Its lines still accept calls, which then wait without an agent. Disable the lines as well to
            reject calls.
          </p>
          <p className="mt-2">Nothing is deleted. You can lift the suspension at any time.</p>
        </>
      ) : (
        'Its agents can connect again and its lines accept calls immediately.'
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
        confirmLabel="OK"
        onConfirm={() => Promise.resolve()}
      >
        Only suspended tenants can be deleted. Suspend this tenant first, so that no live calls are
        interrupted.
      </ConfirmAction>
    );
  }
  return (
    <ConfirmAction
      open={open}
      onClose={onClose}
      title={`Delete ${tenant.name}?`}
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
        This deletes its agents, queues, lines, flows, audio, calls, recordings and events. This cannot be
        undone.
      </p>
    </ConfirmAction>
  );
}
