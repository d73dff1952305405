'use client';

import { Button, Dialog, ProgressBar, useToasts } from '@clarion/ui';
import { Download } from 'lucide-react';
import { useRef, useState } from 'react';
import { saveFile } from './csv.ts';
import { counted, formatCount } from './rate-decks/format-rate.ts';
import { RequestProblem } from './request.ts';

/** The most rows of one file: a browser can hold them, and they take a hundred requests. */
export const EXPORT_MAX_ROWS = 20_000;
/** Rows of one request. */
export const EXPORT_PAGE_ROWS = 200;

export interface ExportCsvProps<Row> {
  /** What a row is, for example "call". */
  of: string;
  /** The number of rows; undefined until it is known. */
  total: number | undefined;
  /** Reads at most EXPORT_MAX_ROWS, newest first. */
  read: (signal: AbortSignal, onRead: (rows: number) => void) => Promise<Row[]>;
  fileName: () => string;
  csv: (rows: readonly Row[]) => string;
}

/** A button that exports a list as a file created in the browser, with progress and a way to cancel. */
export function ExportCsv<Row>({ of, total, read, fileName, csv }: ExportCsvProps<Row>) {
  const toasts = useToasts();
  const stop = useRef<AbortController>(null);
  const [done, setDone] = useState<number | null>(null);
  const expected = Math.min(total ?? 0, EXPORT_MAX_ROWS);

  async function save() {
    const aborting = new AbortController();
    stop.current = aborting;
    setDone(0);
    try {
      const rows = await read(aborting.signal, setDone);
      saveFile(fileName(), csv(rows));
      toasts.add({
        title: `${counted(rows.length, of)} exported`,
        ...((total ?? 0) > EXPORT_MAX_ROWS && {
          description: `Only the newest ${of}s were exported. Choose a shorter period to export older ones.`,
        }),
        tone: 'positive',
      });
    } catch (error) {
      if (aborting.signal.aborted) return;
      const detail = error instanceof RequestProblem ? error.message : 'The file could not be created.';
      toasts.add({ title: 'Nothing was exported', description: detail, tone: 'negative' });
    } finally {
      setDone(null);
    }
  }

  return (
    <>
      <Button
        icon={<Download className="size-4" aria-hidden />}
        disabled={total === undefined || total === 0}
        busy={done !== null}
        onClick={() => void save()}
      >
        Export CSV
      </Button>
      <Dialog
        open={done !== null}
        keepOpen
        size="sm"
        title={`Exporting ${of}s`}
        description={`${formatCount(done ?? 0)} of ${formatCount(expected)}`}
        onOpenChange={() => stop.current?.abort()}
        footer={<Button onClick={() => stop.current?.abort()}>Cancel</Button>}
      >
        <ProgressBar
          label="Rows exported"
          value={expected === 0 ? null : Math.round(((done ?? 0) / expected) * 100)}
        />
      </Dialog>
    </>
  );
}
