'use client';

import { DateTime, EmptyState, None, Pagination, Table, TextLink, type Column } from '@clarion/ui';
import { ReceiptText } from 'lucide-react';
import { transactionKinds } from '#lib/dashboard/billing/billing-labels.ts';
import { formatChange, formatMoney } from '#lib/dashboard/billing/format-money.ts';
import {
  TRANSACTIONS_PATH,
  type BillingAccount,
  type Transaction,
} from '#lib/dashboard/billing/resources.ts';
import { ReadProblem } from '#lib/dashboard/edit/ReadProblem.tsx';
import { tenantHome } from '#lib/dashboard/navigation.tsx';
import { useGet } from '#lib/dashboard/queries.ts';
import { useUrlState } from '#lib/dashboard/use-url-state.ts';

const PAGE_ROWS = 50;

/** Newest first. The page is in the URL. */
export function Transactions({ tenantRef, account }: { tenantRef: string; account: BillingAccount }) {
  const url = useUrlState();
  const asked = Number(url.get('page') || 1);
  const page = Number.isInteger(asked) && asked > 0 ? asked : 1;
  const { data, error, refetch, isPlaceholderData } = useGet(
    TRANSACTIONS_PATH,
    { path: { tenantRef }, query: { page, limit: PAGE_ROWS } },
    { keepPrevious: true },
  );
  if (error !== null) {
    return <ReadProblem what="The transactions" problem={error} onRetry={() => void refetch()} />;
  }
  const pages = Math.ceil((data?.total ?? 0) / PAGE_ROWS);
  return (
    <Table
      label="Transactions"
      columns={columnsOf(tenantRef)}
      rows={data?.transactions}
      rowKey={({ id }) => id}
      stacked
      className={isPlaceholderData ? 'opacity-60' : ''}
      empty={
        <EmptyState icon={<ReceiptText />} title="No transactions yet">
          {account.mode === 'PREPAID' ? 'Top-ups, charges' : 'Charges'} and adjustments are listed here, with
          the balance after each.
        </EmptyState>
      }
      {...(pages > 1 && {
        footer: (
          <Pagination
            page={page}
            pageCount={pages}
            onPage={(next) => url.set({ page: next === 1 ? null : String(next) })}
          />
        ),
      })}
    />
  );
}

const columnsOf = (tenantRef: string): Column<Transaction>[] => [
  { key: 'time', header: 'Time', nowrap: true, cell: ({ createdAt }) => <DateTime at={createdAt} /> },
  { key: 'kind', header: 'Transaction', cell: ({ kind }) => transactionKinds[kind] },
  {
    key: 'description',
    header: 'Description',
    cell: ({ description, callId }) => {
      if (description === null) return <None />;
      if (callId === null) return <span className="wrap-anywhere">{description}</span>;
      return <TextLink href={`${tenantHome(tenantRef)}/calls/${callId}`}>{description}</TextLink>;
    },
  },
  {
    key: 'amount',
    header: 'Amount',
    align: 'end',
    nowrap: true,
    cell: ({ amount }) => <span className="tabular-nums">{formatChange(amount)}</span>,
  },
  {
    key: 'balance',
    header: 'Balance after',
    align: 'end',
    nowrap: true,
    cell: ({ balanceAfter }) => <span className="tabular-nums">{formatMoney(balanceAfter)}</span>,
  },
];
