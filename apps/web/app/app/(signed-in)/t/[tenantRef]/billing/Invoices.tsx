'use client';

import { Badge, Button, EmptyState, formatDay, Pagination, Table, type Column } from '@clarion/ui';
import { FileText } from 'lucide-react';
import { useState } from 'react';
import { formatMoney } from '#lib/dashboard/billing/format-money.ts';
import { invoiceStatus, periodOf } from '#lib/dashboard/billing/invoice-words.ts';
import { INVOICES_PATH, type BillingAccount, type Invoice } from '#lib/dashboard/billing/resources.ts';
import { ReadProblem } from '#lib/dashboard/edit/ReadProblem.tsx';
import { useGet } from '#lib/dashboard/queries.ts';
import { useUrlState } from '#lib/dashboard/use-url-state.ts';
import { InvoiceDownload } from './InvoiceDownload.tsx';
import { MarkPaid } from './MarkPaid.tsx';

const PAGE_ROWS = 12;
const DAY_CHARS = 'YYYY-MM-DD'.length;

interface InvoicesProps {
  tenantRef: string;
  account: BillingAccount;
  /** Whether the reader may mark invoices as paid. */
  mayChange: boolean;
}

/** Newest first. The page is in the URL. */
export function Invoices({ tenantRef, account, mayChange }: InvoicesProps) {
  const url = useUrlState();
  const [paying, setPaying] = useState<Invoice | null>(null);
  const asked = Number(url.get('invoices') || 1);
  const page = Number.isInteger(asked) && asked > 0 ? asked : 1;
  const { data, error, refetch, isPlaceholderData } = useGet(
    INVOICES_PATH,
    { path: { tenantRef }, query: { page, limit: PAGE_ROWS } },
    { keepPrevious: true },
  );
  if (error !== null) {
    return <ReadProblem what="The invoices" problem={error} onRetry={() => void refetch()} />;
  }
  const pages = Math.ceil((data?.total ?? 0) / PAGE_ROWS);
  return (
    <>
      <Table
        label="Invoices"
        columns={columnsOf(tenantRef, mayChange ? setPaying : null)}
        rows={data?.invoices}
        rowKey={({ id }) => id}
        stacked
        className={isPlaceholderData ? 'opacity-60' : ''}
        empty={<NoInvoices account={account} />}
        {...(pages > 1 && {
          footer: (
            <Pagination
              page={page}
              pageCount={pages}
              onPage={(next) => url.set({ invoices: next === 1 ? null : String(next) })}
            />
          ),
        })}
      />
      {mayChange && <MarkPaid tenantRef={tenantRef} invoice={paying} onClose={() => setPaying(null)} />}
    </>
  );
}

function NoInvoices({ account: { mode } }: { account: BillingAccount }) {
  return (
    <EmptyState icon={<FileText />} title="No invoices yet">
      {mode === 'POSTPAID'
        ? 'The first one is made on the 1st of next month (UTC), if there is something to pay.'
        : 'Only postpaid accounts get invoices, one for each calendar month.'}
    </EmptyState>
  );
}

const columnsOf = (tenantRef: string, onPay: ((invoice: Invoice) => void) | null): Column<Invoice>[] => [
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
  {
    key: 'actions',
    header: <span className="sr-only">Actions</span>,
    align: 'end',
    nowrap: true,
    cell: (invoice) => (
      <span className="-my-1 inline-flex gap-2">
        {onPay !== null && invoice.status === 'OPEN' && (
          <Button size="sm" aria-label={`Mark as paid: ${invoice.number}`} onClick={() => onPay(invoice)}>
            Mark as paid
          </Button>
        )}
        <InvoiceDownload tenantRef={tenantRef} invoice={invoice} />
      </span>
    ),
  },
];
