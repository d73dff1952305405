'use client';

import { Button, Callout, FileDrop, formatBytes, FormActions, TextLink } from '@clarion/ui';
import { useState } from 'react';
import { refusalOf, textOf } from '#lib/dashboard/rate-decks/csv-text.ts';
import type { SheetFile } from './use-dry-run.ts';

/** The service takes a little more (docs/requirements.md#limits), but this is what it says. */
const MAX_BYTES = 20_000_000;
const ACCEPT = '.csv,.tsv,.txt,text/csv,text/tab-separated-values,text/plain,application/vnd.ms-excel';

interface FileStepProps {
  /** The one chosen before; null: none. */
  file: SheetFile | null;
  onFile(file: SheetFile): void;
  onContinue(): void;
}

export function FileStep({ file, onFile, onContinue }: FileStepProps) {
  const [error, setError] = useState<string>();
  const read = async (chosen: File) => {
    setError(undefined);
    try {
      const { name, size } = chosen;
      onFile({ id: Date.now(), name, size, text: textOf(await chosen.arrayBuffer()) });
    } catch {
      setError('The file could not be read. Choose it again.');
    }
  };
  return (
    <div className="flex max-w-2xl flex-col gap-5">
      <FileDrop
        accept={ACCEPT}
        maxBytes={MAX_BYTES}
        label={file === null ? 'Choose a CSV file' : 'Choose another CSV file'}
        hint="Drop it here or press to choose it. Up to 20 MB, about 400,000 prices."
        refuse={refusalOf}
        onFile={(chosen) => void read(chosen)}
        {...(error !== undefined && { error })}
      />
      {file !== null && (
        <FormActions>
          <Button tone="accent" onClick={onContinue}>
            Continue with {file.name}
          </Button>
          <span className="text-muted">{formatBytes(file.size)}</span>
        </FormActions>
      )}
      <Callout title="File requirements">
        A line of headings, and then one line per prefix with at least the prefix and the rate per minute.
        Columns may be separated by commas, semicolons, tabs or vertical bars, in any order and with any
        headings. <TextLink href="/docs/guides/billing#how-a-file-is-read">How a file is read</TextLink>
      </Callout>
    </div>
  );
}
