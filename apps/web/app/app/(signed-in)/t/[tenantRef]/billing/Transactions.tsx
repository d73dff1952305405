'use client';

import { BALANCE_POLL_MS, TRANSACTIONS_PATH, type BillingAccount } from '#lib/dashboard/billing/resources.ts';
import { TransactionTable, useTransactionPage } from '#lib/dashboard/billing/TransactionTable.tsx';
import { tenantHome } from '#lib/dashboard/navigation.tsx';
import { useGet } from '#lib/dashboard/queries.ts';

export function Transactions({ tenantRef, account }: { tenantRef: string; account: BillingAccount }) {
  const page = useTransactionPage();
  const read = useGet(
    TRANSACTIONS_PATH,
    { path: { tenantRef }, query: page.query },
    { keepPrevious: true, refetchInterval: BALANCE_POLL_MS },
  );
  return (
    <TransactionTable
      account={account}
      page={page}
      read={read}
      callHref={(callId) => `${tenantHome(tenantRef)}/calls/${callId}`}
    />
  );
}
