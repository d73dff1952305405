'use client';

import { useToasts } from '@clarion/ui';
import { useQueryClient } from '@tanstack/react-query';
import { formatMoney } from '#lib/dashboard/billing/format-money.ts';
import { BILLING_PATHS, MARK_PAID_PATH, type Invoice } from '#lib/dashboard/billing/resources.ts';
import { ConfirmAction } from '#lib/dashboard/edit/ConfirmAction.tsx';
import { invalidate } from '#lib/dashboard/queries.ts';
import { request } from '#lib/dashboard/request.ts';

interface MarkPaidProps {
  tenantRef: string;
  /** Null: none is being marked. */
  invoice: Invoice | null;
  onClose(): void;
}

export function MarkPaid({ tenantRef, invoice, onClose }: MarkPaidProps) {
  const toasts = useToasts();
  const client = useQueryClient();
  return (
    <ConfirmAction
      open={invoice !== null}
      onClose={onClose}
      title={`Mark invoice ${invoice?.number ?? ''} as paid?`}
      confirmLabel="Mark as paid"
      onConfirm={async () => {
        if (invoice === null) return;
        const path = { tenantRef, invoiceId: invoice.id };
        // An invoice is paid once, so after a lost response the same key returns the first one.
        const idempotencyKey = `invoice ${invoice.id} paid`;
        await request('POST', MARK_PAID_PATH, { path }, { idempotencyKey });
        await invalidate(client, BILLING_PATHS);
        toasts.add({ title: `Invoice ${invoice.number} is paid`, tone: 'positive' });
      }}
    >
      {invoice !== null && `${formatMoney(invoice.total)} ${invoice.currency} is added to the balance. `}
      This cannot be undone.
      {invoice?.overdue && ' If no other invoice is overdue, the account works again at once.'}
    </ConfirmAction>
  );
}
