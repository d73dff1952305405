'use client';

import {
  Button,
  ButtonLink,
  EmptyState,
  LoadMore,
  Page,
  Pagination,
  SegmentedControl,
  Skeleton,
  Table,
} from '@clarion/ui';
import { PhoneCall, SearchX } from 'lucide-react';
import { isFiltered, noFilters, queryOf, readFilters } from '#lib/dashboard/calls/filters.ts';
import type { Call } from '#lib/dashboard/calls/outcome-labels.ts';
import { useNames } from '#lib/dashboard/calls/use-names.ts';
import { ReadProblem } from '#lib/dashboard/edit/ReadProblem.tsx';
import { useMe } from '#lib/dashboard/me.tsx';
import { tenantHome } from '#lib/dashboard/navigation.tsx';
import { useGet } from '#lib/dashboard/queries.ts';
import { useUrlState } from '#lib/dashboard/use-url-state.ts';
import { CallFilters } from './CallFilters.tsx';
import { CallTotals } from './CallTotals.tsx';
import { columnsOf } from './columns.tsx';
import { ExportCalls } from './ExportCalls.tsx';
import { useNewest } from './use-newest.ts';

const PAGE_ROWS = 25;

/** The list of calls: in pages with a total, or newest first with more on request. */
export function CallsPage({ tenantRef }: { tenantRef: string }) {
  const url = useUrlState();
  const names = useNames(tenantRef);
  const filters = readFilters(url.get);
  const query = queryOf(filters);
  const path = { tenantRef };
  const newest = url.get('view') === 'newest';
  const page = Math.max(1, Number(url.get('page')) || 1);
  const paged = useGet(
    '/v1/tenants/{tenantRef}/calls',
    { path, query: { ...query, limit: PAGE_ROWS, page, stats: true } },
    { keepPrevious: true },
  );
  const growing = useNewest(tenantRef, query, newest);
  const problem = newest ? growing.problem : paged.error;
  const total = paged.data?.total;
  const rows = newest ? growing.calls : paged.data?.calls;
  const change = (changes: Record<string, string | null>) => url.set({ page: null, ...changes });
  return (
    <Page
      title="Calls"
      description="All calls of this tenant, with their agents and outcomes."
      width="wide"
      actions={<ExportCalls tenantRef={tenantRef} query={query} total={total} />}
    >
      <div className="flex flex-col gap-4">
        <CallFilters filters={filters} names={names} onChange={change} />
        {problem !== null ? (
          <ReadProblem
            what="The calls"
            problem={problem}
            onRetry={() => void (newest ? growing.retry() : paged.refetch())}
          />
        ) : (
          <>
            {paged.data?.stats ? <CallTotals stats={paged.data.stats} /> : <Skeleton className="h-24!" />}
            <div className="flex justify-end">
              <SegmentedControl
                label="List view"
                value={newest ? 'newest' : 'pages'}
                choices={[
                  { value: 'pages', label: 'Pages' },
                  { value: 'newest', label: 'Newest' },
                ]}
                onChange={(view) => change({ view: view === 'newest' ? view : null })}
              />
            </div>
            <Table<Call>
              label="Calls"
              columns={columnsOf(names)}
              rows={rows}
              rowKey={({ callId }) => callId}
              rowHref={({ callId }) => `${tenantHome(tenantRef)}/calls/${callId}`}
              stacked
              empty={
                isFiltered(filters) ? (
                  <NothingMatches onClear={() => change(noFilters)} />
                ) : (
                  <NoCalls tenantRef={tenantRef} />
                )
              }
              {...((rows?.length ?? 0) > 0 && {
                footer: newest ? (
                  <LoadMore onMore={growing.more} busy={growing.busy} done={growing.done} />
                ) : (
                  <Pagination
                    page={page}
                    pageCount={Math.ceil((total ?? 0) / PAGE_ROWS)}
                    onPage={(next) => url.set({ page: next === 1 ? null : String(next) })}
                  />
                ),
              })}
            />
          </>
        )}
      </div>
    </Page>
  );
}

function NothingMatches({ onClear }: { onClear(): void }) {
  return (
    <EmptyState
      icon={<SearchX />}
      title="No calls match these filters"
      action={<Button onClick={onClear}>Clear filters</Button>}
    >
      Remove a filter or choose a longer period.
    </EmptyState>
  );
}

function NoCalls({ tenantRef }: { tenantRef: string }) {
  const me = useMe();
  return (
    <EmptyState
      icon={<PhoneCall />}
      title="No calls yet"
      action={
        me.may('manage') && (
          <ButtonLink tone="accent" href={`${tenantHome(tenantRef)}/phone`}>
            Open the agent phone
          </ButtonLink>
        )
      }
    >
      Call one of your lines, or place a call with the agent phone. Calls are listed here as soon as they
      start ringing.
    </EmptyState>
  );
}
