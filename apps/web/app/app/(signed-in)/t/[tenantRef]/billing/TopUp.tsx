'use client';

import { TextField } from '@clarion/ui';
import { AmountField } from '#lib/dashboard/billing/AmountField.tsx';
import { formatMoney } from '#lib/dashboard/billing/format-money.ts';
import type { BillingAccount } from '#lib/dashboard/billing/resources.ts';
import { useBalanceChange } from '#lib/dashboard/billing/use-balance-change.ts';
import { EditDrawer } from '#lib/dashboard/edit/EditDrawer.tsx';
import { useDraft } from '#lib/dashboard/edit/use-draft.ts';
import { request } from '#lib/dashboard/request.ts';

export interface BalanceChangeProps {
  tenantRef: string;
  account: BillingAccount;
  open: boolean;
  onClose(): void;
}

export function TopUp({ tenantRef, account, open, onClose }: BalanceChangeProps) {
  const { draft, change, dirty } = useDraft(open, () => ({ amount: '', reference: '' }));
  const { currency } = account;
  const changeBalance = useBalanceChange(currency);
  return (
    <EditDrawer
      open={open}
      onClose={onClose}
      title="Top up"
      description={`The balance is ${formatMoney(account.balance)} ${currency}.`}
      size="sm"
      dirty={dirty}
      saveLabel="Top up"
      onSave={async () => {
        const body = { amount: draft.amount.trim(), reference: draft.reference.trim() || null };
        await changeBalance(body, (idempotencyKey) =>
          request(
            'POST',
            '/v1/tenants/{tenantRef}/billing/top-ups',
            { path: { tenantRef }, body },
            { idempotencyKey },
          ),
        );
      }}
    >
      <AmountField
        currency={currency}
        hint="The amount the tenant paid. At least 0.01."
        placeholder="50.00"
        value={draft.amount}
        onValueChange={(amount) => change({ amount })}
      />
      <TextField
        name="reference"
        label="Reference"
        hint="For example, the payment number. Shown with the transaction."
        optional
        maxLength={191}
        autoComplete="off"
        value={draft.reference}
        onValueChange={(reference) => change({ reference })}
      />
    </EditDrawer>
  );
}
