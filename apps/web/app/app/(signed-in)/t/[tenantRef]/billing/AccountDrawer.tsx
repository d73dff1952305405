'use client';

import { NumberField, RadioCards, TextField, useToasts } from '@clarion/ui';
import {
  accountBodyOf,
  accountDraftOf,
  DUE_DAYS,
  type AccountDraft,
} from '#lib/dashboard/billing/account-draft.ts';
import { modes } from '#lib/dashboard/billing/billing-labels.ts';
import { BILLING_PATHS, type BillingAccount } from '#lib/dashboard/billing/resources.ts';
import { CurrencyField } from '#lib/dashboard/edit/CurrencyField.tsx';
import { EditDrawer } from '#lib/dashboard/edit/EditDrawer.tsx';
import type { PricePlan } from '#lib/dashboard/edit/resources.ts';
import { useDraft } from '#lib/dashboard/edit/use-draft.ts';
import { useChange } from '#lib/dashboard/queries.ts';

interface AccountDrawerProps {
  tenantRef: string;
  /** Null: it is opened. */
  account: BillingAccount | null;
  plan: PricePlan | null;
  open: boolean;
  onClose(): void;
}

const choices = (['PREPAID', 'POSTPAID'] as const).map((value) => ({
  value,
  label: modes[value].label,
  note: modes[value].meaning,
}));

export function AccountDrawer({ tenantRef, account, plan, open, onClose }: AccountDrawerProps) {
  const toasts = useToasts();
  const { draft, change, dirty } = useDraft<AccountDraft>(open, () =>
    accountDraftOf(account, plan?.currency ?? null),
  );
  const put = useChange('PUT', '/v1/tenants/{tenantRef}/billing-account', { invalidates: BILLING_PATHS });
  const hasBalance = account !== null && account.balance !== '0';
  return (
    <EditDrawer
      open={open}
      onClose={onClose}
      title={account === null ? 'Open billing account' : 'Edit billing account'}
      dirty={dirty}
      saveLabel={account === null ? 'Open account' : 'Save'}
      onSave={async () => {
        await put.mutateAsync({ path: { tenantRef }, body: accountBodyOf(draft) });
        toasts.add({ title: account === null ? 'Account opened' : 'Saved', tone: 'positive' });
      }}
    >
      <RadioCards
        name="mode"
        label="Mode"
        choices={choices}
        value={draft.mode}
        onValueChange={(mode) => change({ mode: mode === 'POSTPAID' ? mode : 'PREPAID' })}
      />
      <CurrencyField
        hint={
          hasBalance
            ? 'Cannot be changed while the account has a balance.'
            : plan === null
              ? "The tenant's price plan must use this currency."
              : `Must match the tenant's price plan, which is in ${plan.currency}.`
        }
        disabled={hasBalance}
        value={draft.currency}
        onValueChange={(currency) => change({ currency })}
      />
      {draft.mode === 'POSTPAID' && (
        <>
          <TextField
            name="credit_limit"
            label="Credit limit"
            hint="The most that the tenant may owe. If it is empty, there is no limit."
            optional
            inputMode="decimal"
            suffix={draft.currency}
            className="max-w-80"
            autoComplete="off"
            value={draft.creditLimit}
            onValueChange={(creditLimit) => change({ creditLimit })}
          />
          <NumberField
            name="invoice_due_days"
            label="Invoices due after"
            unit="days"
            min={DUE_DAYS.min}
            max={DUE_DAYS.max}
            value={draft.invoiceDueDays}
            onValueChange={(invoiceDueDays) => change({ invoiceDueDays })}
          />
        </>
      )}
    </EditDrawer>
  );
}
