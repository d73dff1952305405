'use client';

import { IconButton, Menu, useToasts } from '@clarion/ui';
import { Download } from 'lucide-react';
import { saveBlob } from '../csv.ts';
import { RequestProblem } from '../request.ts';
import type { Invoice } from './resources.ts';

const formats = [
  { format: 'pdf', label: 'PDF file' },
  { format: 'csv', label: 'CSV file' },
] as const;

interface InvoiceDownloadProps {
  invoice: Invoice;
  requestIn(format: 'pdf' | 'csv'): Promise<{ name: string; content: Blob }>;
}

/** Downloads an invoice. A plain link would not carry the header that every request of a page needs. */
export function InvoiceDownload({ invoice, requestIn }: InvoiceDownloadProps) {
  const toasts = useToasts();
  const save = async (format: 'pdf' | 'csv') => {
    try {
      const { name, content } = await requestIn(format);
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
      items={formats.map(({ format, label: name }) => ({ label: name, onSelect: () => void save(format) }))}
    />
  );
}
