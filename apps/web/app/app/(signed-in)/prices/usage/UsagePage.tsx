'use client';

import { Button, EmptyState, Notice, Page, Pagination, Stack, Table, TextLink } from '@clarion/ui';
import { ReceiptText } from 'lucide-react';
import { ReadProblem } from '#lib/dashboard/edit/ReadProblem.tsx';
import { useGet } from '#lib/dashboard/queries.ts';
import { columns } from './columns.tsx';
import { ExportUsage } from './ExportUsage.tsx';
import { PriceAgain } from './PriceAgain.tsx';
import { UsageFilters } from './UsageFilters.tsx';
import { UsageGaps } from './UsageGaps.tsx';
import { UsageTotals } from './UsageTotals.tsx';
import { DAYS_MAX, PAGE_ROWS, usageQuery, useUsage } from './use-usage.ts';

/** What was used in a period, what it cost, and what the tenants are charged for it. */
export function UsagePage() {
  const view = useUsage();
  const { data, error, refetch, isPlaceholderData } = useGet(
    '/v1/usage',
    { query: { ...usageQuery(view), page: view.page, limit: PAGE_ROWS } },
    { keepPrevious: true, enabled: !view.tooLong },
  );
  const pages = Math.ceil((data?.total ?? 0) / PAGE_ROWS);
  return (
    <Page
      title="Usage"
      description={
        <>
          Calls, recordings and daily fees, with what they cost you and what your tenants are charged. Times
          are in your time zone ({view.zone}).{' '}
          <TextLink href="/docs/guides/usage-and-prices">How usage is priced</TextLink>
        </>
      }
      width="wide"
      actions={
        <>
          <PriceAgain view={view} />
          <ExportUsage view={view} total={data?.total} />
        </>
      }
    >
      <Stack>
        <UsageFilters view={view} />
        {view.tooLong ? (
          <Notice tone="warning" title="This period is too long">
            Usage can be shown for at most {DAYS_MAX} days. Choose a shorter period.
          </Notice>
        ) : error !== null ? (
          <ReadProblem what="The usage" problem={error} onRetry={() => void refetch()} />
        ) : (
          <>
            {data !== undefined && <UsageGaps records={data.usage} />}
            <Table
              label="Usage records"
              columns={columns}
              rows={data?.usage}
              rowKey={({ id }) => id}
              stacked
              className={isPlaceholderData ? 'opacity-60' : ''}
              empty={
                <NoUsage
                  isFiltered={view.tenantRef !== ''}
                  onClear={() => view.url.set({ tenant: null, page: null })}
                />
              }
              {...(pages > 1 && {
                footer: (
                  <Pagination
                    page={view.page}
                    pageCount={pages}
                    onPage={(page) => view.url.set({ page: page === 1 ? null : String(page) })}
                  />
                ),
              })}
            />
            {data !== undefined && <UsageTotals records={data.usage} isAll={pages <= 1} />}
          </>
        )}
      </Stack>
    </Page>
  );
}

function NoUsage({ isFiltered, onClear }: { isFiltered: boolean; onClear(): void }) {
  return isFiltered ? (
    <EmptyState title="No usage of this tenant" action={<Button onClick={onClear}>Show all tenants</Button>}>
      The tenant has no usage in this period.
    </EmptyState>
  ) : (
    <EmptyState icon={<ReceiptText />} title="No usage in this period">
      <p>
        Every call that ends gets a record here. To see what calls cost, set a buying deck on your{' '}
        <TextLink href="/app/trunks">SIP trunks</TextLink>; to charge for them, put your{' '}
        <TextLink href="/app/tenants">tenants</TextLink> on a price plan.
      </p>
    </EmptyState>
  );
}
