'use client';

import { onDemand, Page, Skeleton } from '@clarion/ui';

const PlanForm = onDemand(
  async () => (await import('../PlanForm.tsx')).PlanForm,
  () => <Skeleton className="h-96" />,
);

export function NewPlanPage() {
  return (
    <Page
      title="New price plan"
      description="What tenants pay you. Assign it to tenants afterwards, on the page Tenants."
      back={{ label: 'Price plans', href: '/app/prices/plans' }}
      width="narrow"
    >
      <PlanForm plan={null} />
    </Page>
  );
}
