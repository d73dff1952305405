'use client';

import { Button, ButtonLink, useToasts } from '@clarion/ui';
import { useState } from 'react';
import { BILLING_PATH } from '#lib/dashboard/billing/resources.ts';
import { EditDrawer } from '#lib/dashboard/edit/EditDrawer.tsx';
import { ViewOrEdit } from '#lib/dashboard/edit/ViewOrEdit.tsx';
import { NameAndRef } from '#lib/dashboard/edit/NameAndRef.tsx';
import { newRef } from '#lib/dashboard/edit/new-ref.ts';
import { useDraft } from '#lib/dashboard/edit/use-draft.ts';
import { useMe } from '#lib/dashboard/me.tsx';
import { tenantHome } from '#lib/dashboard/navigation.tsx';
import { useChange } from '#lib/dashboard/queries.ts';
import { TenantDetails } from './TenantDetails.tsx';
import { PricePlanChoice } from './PricePlanChoice.tsx';
import { DeleteTenant, SuspendTenant } from './TenantActions.tsx';
import { draftOf, settingsBody, TenantSettings, type TenantDraft } from './TenantSettings.tsx';
import type { Tenant } from '#lib/dashboard/edit/resources.ts';

interface TenantDrawerProps {
  target: Tenant | 'new' | null;
  taken: readonly string[];
  onClose(): void;
}

export function TenantDrawer({ target, ...props }: TenantDrawerProps) {
  return (
    <ViewOrEdit
      target={target}
      onClose={props.onClose}
      titleOf={({ name }) => name}
      facts={(tenant) => <TenantDetails tenant={tenant} />}
      form={(tenant, open) => <TenantForm {...props} tenant={tenant} open={open} />}
    />
  );
}

interface TenantFormProps extends Omit<TenantDrawerProps, 'target'> {
  open: boolean;
  tenant: Tenant | null;
}

function TenantForm({ open, tenant, taken, onClose }: TenantFormProps) {
  const me = useMe();
  const toasts = useToasts();
  const { draft, change, dirty } = useDraft<TenantDraft>(open, () => draftOf(tenant));
  const [asking, setAsking] = useState<'status' | 'delete' | null>(null);
  const put = useChange('PUT', '/v1/tenants/{tenantRef}', {
    invalidates: ['/v1/tenants', '/v1/tenants/{tenantRef}'],
  });
  const putPlan = useChange('PUT', '/v1/tenants/{tenantRef}/price-plan', {
    invalidates: ['/v1/tenants', '/v1/tenants/{tenantRef}', '/v1/price-plans', BILLING_PATH],
  });
  const save = async () => {
    const tenantRef = tenant?.ref ?? newRef('tenant_ref', draft.ref, taken);
    await put.mutateAsync({
      path: { tenantRef },
      body: { name: draft.name, status: tenant?.status ?? 'ACTIVE', settings: settingsBody(draft) },
    });
    if (draft.pricePlanId !== draftOf(tenant).pricePlanId) {
      const body = { price_plan_id: draft.pricePlanId === '' ? null : Number(draft.pricePlanId) };
      await putPlan.mutateAsync({ path: { tenantRef }, body });
    }
    toasts.add({ title: tenant === null ? `${draft.name} was created` : 'Saved', tone: 'positive' });
  };
  return (
    <EditDrawer
      open={open}
      onClose={onClose}
      title={tenant === null ? 'New tenant' : tenant.name}
      dirty={dirty}
      onSave={save}
      saveLabel={tenant === null ? 'Create tenant' : 'Save'}
      {...(tenant !== null && {
        above: (
          <TenantDetails tenant={tenant}>
            <ButtonLink size="sm" href={`${tenantHome(tenant.ref)}/agents`}>
              Agents
            </ButtonLink>
            <ButtonLink size="sm" href={`${tenantHome(tenant.ref)}/queues`}>
              Queues
            </ButtonLink>
            <ButtonLink size="sm" href={`${tenantHome(tenant.ref)}/lines`}>
              Lines
            </ButtonLink>
            {me.may('own') && (
              <ButtonLink size="sm" href={`${tenantHome(tenant.ref)}/billing`}>
                Billing
              </ButtonLink>
            )}
          </TenantDetails>
        ),
        dialogs: (
          <>
            <SuspendTenant tenant={tenant} open={asking === 'status'} onClose={() => setAsking(null)} />
            <DeleteTenant
              tenant={tenant}
              open={asking === 'delete'}
              onClose={() => setAsking(null)}
              onDone={onClose}
            />
          </>
        ),
        aside: (
          <>
            <Button onClick={() => setAsking('status')}>
              {tenant.status === 'ACTIVE' ? 'Suspend' : 'Lift suspension'}
            </Button>
            {me.may('own') && (
              <Button tone="plain" onClick={() => setAsking('delete')}>
                Delete
              </Button>
            )}
          </>
        ),
      })}
    >
      <div className="flex flex-col gap-4">
        <NameAndRef
          noun="tenant"
          refField="tenant_ref"
          value={draft}
          onChange={change}
          isNew={tenant === null}
          taken={taken}
        />
      </div>
      <TenantSettings draft={draft} change={change} />
      {me.may('own') && <PricePlanChoice draft={draft} change={change} />}
    </EditDrawer>
  );
}
