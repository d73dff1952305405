'use client';

import { RadioCards, TextField, useToasts } from '@clarion/ui';
import { useQueryClient } from '@tanstack/react-query';
import { adjustmentBodyOf, type AdjustmentDraft } from '#lib/dashboard/billing/account-draft.ts';
import { formatMoney } from '#lib/dashboard/billing/format-money.ts';
import { BILLING_PATHS } from '#lib/dashboard/billing/resources.ts';
import { useOnce } from '#lib/dashboard/billing/use-once.ts';
import { EditDrawer } from '#lib/dashboard/edit/EditDrawer.tsx';
import { useDraft } from '#lib/dashboard/edit/use-draft.ts';
import { invalidate } from '#lib/dashboard/queries.ts';
import { request } from '#lib/dashboard/request.ts';
import type { BalanceChangeProps } from './TopUp.tsx';

const choices = [
  { value: 'CREDIT', label: 'Credit', note: 'Adds to the balance.' },
  { value: 'DEBIT', label: 'Debit', note: 'Takes from the balance, also below zero.' },
];

export function Adjust({ tenantRef, account, open, onClose }: BalanceChangeProps) {
  const toasts = useToasts();
  const client = useQueryClient();
  const once = useOnce();
  const { draft, change, dirty } = useDraft<AdjustmentDraft>(open, () => ({
    direction: 'CREDIT',
    amount: '',
    reason: '',
  }));
  const { currency } = account;
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
        const { balance } = await once(body, (idempotencyKey) =>
          request(
            'POST',
            '/v1/tenants/{tenantRef}/billing/adjustments',
            { path: { tenantRef }, body },
            { idempotencyKey },
          ),
        );
        await invalidate(client, BILLING_PATHS);
        toasts.add({ title: `The balance is now ${formatMoney(balance)} ${currency}`, tone: 'positive' });
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
      <TextField
        name="amount"
        label="Amount"
        inputMode="decimal"
        placeholder="2.50"
        suffix={currency}
        required
        autoComplete="off"
        value={draft.amount}
        onValueChange={(amount) => change({ amount })}
      />
      <TextField
        name="reason"
        label="Reason"
        hint="It is shown with the transaction."
        required
        maxLength={255}
        autoComplete="off"
        value={draft.reason}
        onValueChange={(reason) => change({ reason })}
      />
    </EditDrawer>
  );
}
