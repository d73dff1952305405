'use client';

import { Button, useToasts } from '@clarion/ui';
import { useRouter } from 'next/navigation.js';
import { useState } from 'react';
import { ConfirmAction } from '#lib/dashboard/edit/ConfirmAction.tsx';
import type { PricePlan, Tenant } from '#lib/dashboard/edit/resources.ts';
import { useChange } from '#lib/dashboard/queries.ts';

interface DeletePlanProps {
  plan: PricePlan;
  /** Those on the plan; undefined while they are loading. */
  tenants: readonly Tenant[] | undefined;
}

export function DeletePlan({ plan, tenants = [] }: DeletePlanProps) {
  const [asking, setAsking] = useState(false);
  const toasts = useToasts();
  const router = useRouter();
  const remove = useChange('DELETE', '/v1/price-plans/{planId}', {
    invalidates: ['/v1/price-plans', '/v1/rate-decks/{deckId}'],
  });
  const close = () => setAsking(false);
  return (
    <>
      <Button onClick={() => setAsking(true)}>Delete</Button>
      {tenants.length > 0 ? (
        <ConfirmAction
          open={asking}
          onClose={close}
          title={`${plan.name} is still used`}
          confirmLabel="OK"
          onConfirm={() => Promise.resolve()}
        >
          <p>
            A price plan can be deleted when no tenant is on it. Choose another plan, or none, for{' '}
            {tenants.length === 1 ? 'this tenant' : `these ${tenants.length} tenants`} first:
          </p>
          <ul className="mt-2 flex max-h-60 flex-col gap-1 overflow-y-auto">
            {tenants.map(({ id, name }) => (
              <li key={id}>{name}</li>
            ))}
          </ul>
        </ConfirmAction>
      ) : (
        <ConfirmAction
          open={asking}
          onClose={close}
          title={`Delete ${plan.name}?`}
          confirmLabel="Delete price plan"
          tone="negative"
          onConfirm={async () => {
            await remove.mutateAsync({ path: { planId: plan.id } });
            toasts.add({ title: `${plan.name} was deleted` });
            router.push('/app/prices/plans');
          }}
        >
          What was charged by this plan stays as it is. This cannot be undone.
        </ConfirmAction>
      )}
    </>
  );
}
