'use client';

import { DateTime, EmptyState, None, Pagination, Table, TextLink, type Column } from '@clarion/ui';
import { ReceiptText } from 'lucide-react';
import { ReadProblem } from '../edit/ReadProblem.tsx';
import type { RequestProblem } from '../request.ts';
import { transactionKinds } from './billing-labels.ts';
import { formatChange, formatMoney } from './format-money.ts';
import type { BillingAccount, Transaction, TransactionPage } from './resources.ts';
import { usePageInUrl } from './use-page-in-url.ts';
import type { PageInUrl } from './use-page-in-url.ts';

const PAGE_ROWS = 50;

export const useTransactionPage = (): PageInUrl => usePageInUrl('page', PAGE_ROWS);

interface TransactionTableProps {
  account: BillingAccount;
  page: PageInUrl;
  read: {
    data: TransactionPage | undefined;
    error: RequestProblem | null;
    isPlaceholderData: boolean;
    refetch(): unknown;
  };
  /** Absent: the calls of charges are not linked. */
  callHref?(callId: number): string;
}

/** The transactions of a billing account, newest first. */
export function TransactionTable({ account, page, read, callHref }: TransactionTableProps) {
  const { data, error, isPlaceholderData } = read;
  if (error !== null) {
    return <ReadProblem what="The transactions" problem={error} onRetry={() => void read.refetch()} />;
  }
  const pages = Math.ceil((data?.total ?? 0) / PAGE_ROWS);
  return (
    <Table
      label="Transactions"
      columns={columnsOf(callHref)}
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
        footer: <Pagination page={page.query.page} pageCount={pages} onPage={(next) => page.show(next)} />,
      })}
    />
  );
}

const columnsOf = (callHref: TransactionTableProps['callHref']): Column<Transaction>[] => [
  { key: 'time', header: 'Time', nowrap: true, cell: ({ createdAt }) => <DateTime at={createdAt} /> },
  { key: 'kind', header: 'Transaction', cell: ({ kind }) => transactionKinds[kind] },
  {
    key: 'description',
    header: 'Description',
    cell: ({ description, callId }) => {
      if (description === null) return <None />;
      if (callId === null || !callHref) return <span className="wrap-anywhere">{description}</span>;
      return <TextLink href={callHref(callId)}>{description}</TextLink>;
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
