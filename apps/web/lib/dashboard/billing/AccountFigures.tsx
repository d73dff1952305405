'use client';

import { Badge, Stat, StatRow } from '@clarion/ui';
import type { ReactNode } from 'react';
import { modes, statuses } from './billing-labels.ts';
import { formatMoney } from './format-money.ts';
import type { BillingAccount } from './resources.ts';

interface AccountFiguresProps {
  account: BillingAccount;
  /** What the balance means to the reader; null: it needs no words. */
  balanceHint: string | null;
  /** Absent: the reader may not see price plans. */
  plan?: ReactNode;
}

/** The terms and the balance of a billing account, of a tenant or of the consumer itself. */
export function AccountFigures({ account, balanceHint, plan }: AccountFiguresProps) {
  const { mode, status, currency, balance, reserved, creditLimit, invoiceDueDays } = account;
  return (
    <StatRow>
      <Stat
        label="Balance"
        value={`${formatMoney(balance)} ${currency}`}
        tone={balance.startsWith('-') ? 'negative' : 'neutral'}
        {...(balanceHint !== null && { hint: balanceHint })}
      />
      {reserved !== '0' && (
        <Stat label="Reserved" value={`${formatMoney(reserved)} ${currency}`} hint="For calls in progress" />
      )}
      <Stat label="Mode" value={modes[mode].label} />
      {mode === 'POSTPAID' && (
        <>
          <Stat
            label="Credit limit"
            value={creditLimit === null ? 'None' : `${formatMoney(creditLimit)} ${currency}`}
          />
          <Stat
            label="Invoices due after"
            value={`${invoiceDueDays} ${invoiceDueDays === 1 ? 'day' : 'days'}`}
          />
        </>
      )}
      <Stat label="Status" value={<Badge tone={statuses[status].tone}>{statuses[status].label}</Badge>} />
      {plan !== undefined && <Stat label="Price plan" value={plan} />}
    </StatRow>
  );
}
