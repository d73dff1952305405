'use client';

import { TextField, useToasts } from '@clarion/ui';
import { useQueryClient } from '@tanstack/react-query';
import { formatMoney } from '#lib/dashboard/billing/format-money.ts';
import { BILLING_PATHS, type BillingAccount } from '#lib/dashboard/billing/resources.ts';
import { useOnce } from '#lib/dashboard/billing/use-once.ts';
import { EditDrawer } from '#lib/dashboard/edit/EditDrawer.tsx';
import { useDraft } from '#lib/dashboard/edit/use-draft.ts';
import { invalidate } from '#lib/dashboard/queries.ts';
import { request } from '#lib/dashboard/request.ts';

export interface BalanceChangeProps {
  tenantRef: string;
  account: BillingAccount;
  open: boolean;
  onClose(): void;
}

export function TopUp({ tenantRef, account, open, onClose }: BalanceChangeProps) {
  const toasts = useToasts();
  const client = useQueryClient();
  const once = useOnce();
  const { draft, change, dirty } = useDraft(open, () => ({ amount: '', reference: '' }));
  const { currency } = account;
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
        const { balance } = await once(body, (idempotencyKey) =>
          request(
            'POST',
            '/v1/tenants/{tenantRef}/billing/top-ups',
            { path: { tenantRef }, body },
            { idempotencyKey },
          ),
        );
        await invalidate(client, BILLING_PATHS);
        toasts.add({ title: `The balance is now ${formatMoney(balance)} ${currency}`, tone: 'positive' });
      }}
    >
      <TextField
        name="amount"
        label="Amount"
        hint="What the tenant has paid, at least 0.01."
        inputMode="decimal"
        placeholder="50.00"
        suffix={currency}
        required
        autoComplete="off"
        value={draft.amount}
        onValueChange={(amount) => change({ amount })}
      />
      <TextField
        name="reference"
        label="Reference"
        hint="For example the number of the payment. It is shown with the transaction."
        optional
        maxLength={191}
        autoComplete="off"
        value={draft.reference}
        onValueChange={(reference) => change({ reference })}
      />
    </EditDrawer>
  );
}
