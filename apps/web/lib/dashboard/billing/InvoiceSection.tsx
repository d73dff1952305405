'use client';

import { Badge, EmptyState, formatDay, Pagination, Section, Table, type Column } from '@clarion/ui';
import { FileText } from 'lucide-react';
import type { ReactNode } from 'react';
import { ReadProblem } from '../edit/ReadProblem.tsx';
import type { RequestProblem } from '../request.ts';
import { formatMoney } from './format-money.ts';
import { invoiceStatus, periodOf } from './invoice-words.ts';
import type { BillingAccount, Invoice, InvoicePage } from './resources.ts';
import { usePageInUrl } from './use-page-in-url.ts';
import type { PageInUrl } from './use-page-in-url.ts';

const PAGE_ROWS = 12;
const DAY_CHARS = 'YYYY-MM-DD'.length;

export const useInvoicePage = (): PageInUrl => usePageInUrl('invoices', PAGE_ROWS);

interface InvoiceSectionProps {
  account: BillingAccount;
  page: PageInUrl;
  read: {
    data: InvoicePage | undefined;
    error: RequestProblem | null;
    isPlaceholderData: boolean;
    refetch(): unknown;
  };
  /** What the reader can do with an invoice. */
  actionsOf(invoice: Invoice): ReactNode;
}

/** The invoices of a billing account, newest first. A PREPAID account has some only if it was POSTPAID before; without any, nothing is shown. */
export function InvoiceSection(props: InvoiceSectionProps) {
  const { account, read } = props;
  if (account.mode === 'PREPAID' && read.error === null && !read.data?.total) return null;
  return (
    <Section title="Invoices">
      {read.error === null ? (
        <InvoiceTable {...props} />
      ) : (
        <ReadProblem what="The invoices" problem={read.error} onRetry={() => void read.refetch()} />
      )}
    </Section>
  );
}

function InvoiceTable({ page, read: { data, isPlaceholderData }, actionsOf }: InvoiceSectionProps) {
  const pages = Math.ceil((data?.total ?? 0) / PAGE_ROWS);
  return (
    <Table
      label="Invoices"
      columns={[...columns, actionColumn(actionsOf)]}
      rows={data?.invoices}
      rowKey={({ id }) => id}
      stacked
      className={isPlaceholderData ? 'opacity-60' : ''}
      empty={
        <EmptyState icon={<FileText />} title="No invoices yet">
          The first one is made on the 1st of next month (UTC), if there is something to pay.
        </EmptyState>
      }
      {...(pages > 1 && {
        footer: <Pagination page={page.query.page} pageCount={pages} onPage={page.show} />,
      })}
    />
  );
}

const columns: Column<Invoice>[] = [
  { key: 'number', header: 'Invoice', nowrap: true, cell: ({ number }) => number },
  { key: 'period', header: 'Period', cell: periodOf },
  {
    key: 'status',
    header: 'Status',
    nowrap: true,
    cell: (invoice) => {
      const { label, tone } = invoiceStatus(invoice);
      return <Badge tone={tone}>{label}</Badge>;
    },
  },
  {
    key: 'due',
    header: 'Due',
    nowrap: true,
    cell: ({ dueAt }) => (dueAt === null ? '' : formatDay(dueAt.slice(0, DAY_CHARS))),
  },
  {
    key: 'total',
    header: 'Total',
    align: 'end',
    nowrap: true,
    cell: ({ total, currency }) => (
      <span className="tabular-nums">
        {formatMoney(total)} {currency}
      </span>
    ),
  },
];

const actionColumn = (actionsOf: (invoice: Invoice) => ReactNode): Column<Invoice> => ({
  key: 'actions',
  header: <span className="sr-only">Actions</span>,
  align: 'end',
  nowrap: true,
  cell: (invoice) => <span className="-my-1 inline-flex gap-2">{actionsOf(invoice)}</span>,
});
