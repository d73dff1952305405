'use client';

import { RadioCards, TextField } from '@clarion/ui';
import { adjustmentBodyOf, type AdjustmentDraft } from '#lib/dashboard/billing/account-draft.ts';
import { AmountField } from '#lib/dashboard/billing/AmountField.tsx';
import { formatMoney } from '#lib/dashboard/billing/format-money.ts';
import { useBalanceChange } from '#lib/dashboard/billing/use-balance-change.ts';
import { EditDrawer } from '#lib/dashboard/edit/EditDrawer.tsx';
import { useDraft } from '#lib/dashboard/edit/use-draft.ts';
import { request } from '#lib/dashboard/request.ts';
import type { BalanceChangeProps } from './TopUp.tsx';

const choices = [
  { value: 'CREDIT', label: 'Credit', note: 'Adds to the balance.' },
  { value: 'DEBIT', label: 'Debit', note: 'Takes from the balance, below zero if necessary.' },
];

export function Adjust({ tenantRef, account, open, onClose }: BalanceChangeProps) {
  const { draft, change, dirty } = useDraft<AdjustmentDraft>(open, () => ({
    direction: 'CREDIT',
    amount: '',
    reason: '',
  }));
  const { currency } = account;
  const changeBalance = useBalanceChange(currency);
  return (
    <EditDrawer
      open={open}
      onClose={onClose}
      title="Adjust balance"
      description={`The balance is ${formatMoney(account.balance)} ${currency}. Transactions cannot be changed: correct a mistake with another adjustment.`}
      size="sm"
      dirty={dirty}
      saveLabel="Adjust balance"
      onSave={async () => {
        const body = adjustmentBodyOf(draft);
        await changeBalance(body, (idempotencyKey) =>
          request(
            'POST',
            '/v1/tenants/{tenantRef}/billing/adjustments',
            { path: { tenantRef }, body },
            { idempotencyKey },
          ),
        );
      }}
    >
      <RadioCards
        name="direction"
        label="Direction"
        columns={2}
        choices={choices}
        value={draft.direction}
        onValueChange={(direction) => change({ direction: direction === 'DEBIT' ? direction : 'CREDIT' })}
      />
      <AmountField
        currency={currency}
        placeholder="2.50"
        value={draft.amount}
        onValueChange={(amount) => change({ amount })}
      />
      <TextField
        name="reason"
        label="Reason"
        hint="Shown with the transaction."
        required
        maxLength={255}
        autoComplete="off"
        value={draft.reason}
        onValueChange={(reason) => change({ reason })}
      />
    </EditDrawer>
  );
}
