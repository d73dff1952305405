'use client';

import { Button, Menu, useToasts } from '@clarion/ui';
import { ChevronDown, Download } from 'lucide-react';
import { useState } from 'react';
import { saveBlob } from '#lib/dashboard/csv.ts';
import { filterQuery, type EntryFilters } from '#lib/dashboard/rate-decks/entry-filters.ts';
import { requestFile, RequestProblem } from '#lib/dashboard/request.ts';

interface ExportDeckProps {
  deckId: number;
  filters: EntryFilters;
}

const formats = [
  { format: 'csv', label: 'CSV file' },
  { format: 'xlsx', label: 'Excel workbook (.xlsx)' },
] as const;

/** Downloads the prices of the current filter. A plain link would not carry the header that every request of a page needs. */
export function ExportDeck({ deckId, filters }: ExportDeckProps) {
  const toasts = useToasts();
  const [busy, setBusy] = useState(false);
  const save = async (format: 'csv' | 'xlsx') => {
    setBusy(true);
    try {
      const query = { ...filterQuery(filters), format };
      const { name, content } = await requestFile('/v1/rate-decks/{deckId}/export', {
        path: { deckId },
        query,
      });
      saveBlob(name, content);
    } catch (error) {
      if (!(error instanceof RequestProblem)) throw error;
      toasts.add({ title: 'The download failed', description: error.message, tone: 'negative' });
    } finally {
      setBusy(false);
    }
  };
  return (
    <Menu
      label="Export"
      trigger={
        <Button busy={busy} icon={<Download className="size-4" aria-hidden />}>
          Export
          <ChevronDown className="size-4 text-muted" aria-hidden />
        </Button>
      }
      items={formats.map(({ format, label }) => ({ label, onSelect: () => void save(format) }))}
    />
  );
}
