'use client';

import { IconButton, Menu, useToasts } from '@clarion/ui';
import { Download } from 'lucide-react';
import { INVOICES_PATH, type Invoice } from '#lib/dashboard/billing/resources.ts';
import { saveBlob } from '#lib/dashboard/csv.ts';
import { requestFile, RequestProblem } from '#lib/dashboard/request.ts';

const formats = [
  { path: `${INVOICES_PATH}/{invoiceId}/pdf`, label: 'PDF file' },
  { path: `${INVOICES_PATH}/{invoiceId}/csv`, label: 'CSV file' },
] as const;

/** Downloads an invoice. A plain link would not carry the header that every request of a page needs. */
export function InvoiceDownload({ tenantRef, invoice }: { tenantRef: string; invoice: Invoice }) {
  const toasts = useToasts();
  const save = async (path: (typeof formats)[number]['path']) => {
    try {
      const { name, content } = await requestFile(path, { path: { tenantRef, invoiceId: invoice.id } });
      saveBlob(name, content);
    } catch (error) {
      if (!(error instanceof RequestProblem)) throw error;
      toasts.add({ title: 'The download failed', description: error.message, tone: 'negative' });
    }
  };
  const label = `Download ${invoice.number}`;
  return (
    <Menu
      label={label}
      trigger={<IconButton size="sm" label={label} icon={<Download aria-hidden />} />}
      items={formats.map((format) => ({ label: format.label, onSelect: () => void save(format.path) }))}
    />
  );
}
