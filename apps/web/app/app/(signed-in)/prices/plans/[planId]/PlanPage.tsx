'use client';

import { onDemand, Page, Section, Skeleton, Split, TextLink } from '@clarion/ui';
import { ReadProblem } from '#lib/dashboard/edit/ReadProblem.tsx';
import type { PricePlan, Tenant } from '#lib/dashboard/edit/resources.ts';
import { useGet } from '#lib/dashboard/queries.ts';
import { DeletePlan } from './DeletePlan.tsx';

const PlanForm = onDemand(
  async () => (await import('../PlanForm.tsx')).PlanForm,
  () => <Skeleton className="h-96" />,
);

const back = { label: 'Price plans', href: '/app/prices/plans' };
const NOT_FOUND = 404;

export function PlanPage({ planId }: { planId: string }) {
  const { data, error, refetch } = useGet('/v1/price-plans/{planId}', { path: { planId } });
  if (error?.status === NOT_FOUND) {
    return (
      <Page title="Price plan not found" back={back}>
        <p className="text-muted">This price plan may have been deleted. Check the list of price plans.</p>
      </Page>
    );
  }
  if (error !== null) {
    return (
      <Page title="Price plan" back={back}>
        <ReadProblem what="The price plan" problem={error} onRetry={() => void refetch()} />
      </Page>
    );
  }
  if (data === undefined) {
    return (
      <Page title={<Skeleton className="h-7 w-40" />} back={back}>
        <Skeleton className="h-96" />
      </Page>
    );
  }
  return <LoadedPlan plan={data.plan} />;
}

function LoadedPlan({ plan }: { plan: PricePlan }) {
  const tenants = useGet('/v1/tenants', {}).data?.tenants.filter(
    ({ pricePlanId }) => pricePlanId === plan.id,
  );
  return (
    <Page title={plan.name} back={back} actions={<DeletePlan plan={plan} tenants={tenants} />}>
      <Split aside={<TenantsOfPlan tenants={tenants} />}>
        <div className="max-w-2xl">
          <PlanForm plan={plan} />
        </div>
      </Split>
    </Page>
  );
}

function TenantsOfPlan({ tenants }: { tenants: readonly Tenant[] | undefined }) {
  return (
    <Section title="Tenants on this plan" actions={<TextLink href="/app/tenants">All tenants</TextLink>}>
      {tenants === undefined ? (
        <Skeleton className="h-16" />
      ) : tenants.length === 0 ? (
        <p className="text-md text-muted">
          No tenant is on this plan yet. Choose it on the page of a tenant.
        </p>
      ) : (
        <ul className="flex max-h-96 flex-col divide-y divide-line overflow-y-auto text-md">
          {tenants.map((tenant) => (
            <li key={tenant.id} className="py-2">
              <TextLink href={tenantHref(tenant)}>{tenant.name}</TextLink>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

/** The tenant, opened in its list. */
const tenantHref = ({ ref }: Tenant): string => `/app/tenants?${new URLSearchParams({ open: ref })}`;
