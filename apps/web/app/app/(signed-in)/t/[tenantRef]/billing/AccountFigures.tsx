'use client';

import { Badge, Stat, StatRow, TextLink } from '@clarion/ui';
import { modes, statuses } from '#lib/dashboard/billing/billing-labels.ts';
import { formatMoney } from '#lib/dashboard/billing/format-money.ts';
import type { BillingAccount } from '#lib/dashboard/billing/resources.ts';

interface AccountFiguresProps {
  account: BillingAccount;
  /** Null: the tenant has none. Absent: the reader may not see price plans. */
  plan?: { id: number; name: string | null } | null;
}

export function AccountFigures({ account, plan }: AccountFiguresProps) {
  const { mode, status, currency, balance, creditLimit, invoiceDueDays } = account;
  const owes = balance.startsWith('-');
  return (
    <StatRow>
      <Stat
        label="Balance"
        value={`${formatMoney(balance)} ${currency}`}
        tone={owes ? 'negative' : 'neutral'}
        {...(owes && { hint: 'Owed by the tenant' })}
      />
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
      {plan !== undefined && (
        <Stat
          label="Price plan"
          value={
            plan === null ? (
              'None'
            ) : (
              <TextLink href={`/app/prices/plans/${plan.id}`}>{plan.name ?? `Plan ${plan.id}`}</TextLink>
            )
          }
        />
      )}
    </StatRow>
  );
}
