'use client';

import { Button } from '@clarion/ui';
import { useState } from 'react';
import { InvoiceDownload } from '#lib/dashboard/billing/InvoiceDownload.tsx';
import { InvoiceSection, useInvoicePage } from '#lib/dashboard/billing/InvoiceSection.tsx';
import { INVOICES_PATH, type BillingAccount, type Invoice } from '#lib/dashboard/billing/resources.ts';
import { useGet } from '#lib/dashboard/queries.ts';
import { requestFile } from '#lib/dashboard/request.ts';
import { MarkPaid } from './MarkPaid.tsx';

interface InvoicesProps {
  tenantRef: string;
  account: BillingAccount;
  /** Whether the reader may mark invoices as paid. */
  mayChange: boolean;
}

export function Invoices({ tenantRef, account, mayChange }: InvoicesProps) {
  const [paying, setPaying] = useState<Invoice | null>(null);
  const page = useInvoicePage();
  const read = useGet(INVOICES_PATH, { path: { tenantRef }, query: page.query }, { keepPrevious: true });
  return (
    <>
      <InvoiceSection
        account={account}
        page={page}
        read={read}
        actionsOf={(invoice) => (
          <>
            {mayChange && invoice.status === 'OPEN' && (
              <Button
                size="sm"
                aria-label={`Mark as paid: ${invoice.number}`}
                onClick={() => setPaying(invoice)}
              >
                Mark as paid
              </Button>
            )}
            <InvoiceDownload
              invoice={invoice}
              requestIn={(format) =>
                requestFile(`${INVOICES_PATH}/{invoiceId}/${format}`, {
                  path: { tenantRef, invoiceId: invoice.id },
                })
              }
            />
          </>
        )}
      />
      {mayChange && <MarkPaid tenantRef={tenantRef} invoice={paying} onClose={() => setPaying(null)} />}
    </>
  );
}
