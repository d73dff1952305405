'use client';

import { ButtonLink, EmptyState, Page, RelativeTime, Table, TextLink, type Column } from '@clarion/ui';
import { Plus, ReceiptText } from 'lucide-react';
import { ReadProblem } from '#lib/dashboard/edit/ReadProblem.tsx';
import type { PricePlan } from '#lib/dashboard/edit/resources.ts';
import { useGet } from '#lib/dashboard/queries.ts';

export function PricePlansPage() {
  const { data, error, refetch } = useGet('/v1/price-plans', {});
  const create = (
    <ButtonLink tone="accent" href="/app/prices/plans/new" icon={<Plus className="size-4" aria-hidden />}>
      New price plan
    </ButtonLink>
  );
  return (
    <Page
      title="Price plans"
      description={
        <>
          What your tenants pay for calls, recordings, agents and numbers.{' '}
          <TextLink href="/docs/guides/billing#price-plans">How price plans work</TextLink>
        </>
      }
      actions={create}
    >
      {error !== null ? (
        <ReadProblem what="The price plans" problem={error} onRetry={() => void refetch()} />
      ) : (
        <Table
          label="Price plans"
          columns={columns}
          rows={data?.plans}
          rowKey={({ id }) => id}
          rowHref={({ id }) => `/app/prices/plans/${id}`}
          stacked
          empty={
            <EmptyState icon={<ReceiptText />} title="No price plans yet" action={create}>
              A price plan contains prices, fixed or from rate decks. Tenants without a plan are not charged.
            </EmptyState>
          }
        />
      )}
    </Page>
  );
}

const columns: Column<PricePlan>[] = [
  {
    key: 'name',
    header: 'Plan',
    cell: ({ name, description }) => (
      <span className="flex min-w-0 flex-col">
        <span className="truncate font-medium text-ink">{name}</span>
        {description !== null && (
          <span className="truncate text-sm font-normal text-muted">{description}</span>
        )}
      </span>
    ),
  },
  { key: 'currency', header: 'Currency', cell: ({ currency }) => currency },
  { key: 'items', header: 'Items', align: 'end', cell: ({ items }) => items.length },
  { key: 'tenants', header: 'Tenants', align: 'end', cell: ({ tenants }) => tenants },
  {
    key: 'updated',
    header: 'Changed',
    hideBelow: 'md',
    cell: ({ updatedAt }) => <RelativeTime at={updatedAt} />,
  },
];
