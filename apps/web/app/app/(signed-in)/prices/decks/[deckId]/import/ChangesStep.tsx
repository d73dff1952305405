'use client';

import { Button, FormActions, Notice, RadioCards, Skeleton } from '@clarion/ui';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { invalidate } from '#lib/dashboard/queries.ts';
import { counted } from '#lib/dashboard/rate-decks/format-rate.ts';
import {
  importBodyOf,
  type ImportMode,
  type ImportOptions,
} from '#lib/dashboard/rate-decks/import-options.ts';
import { DECK_PATHS, type Deck, type DeckImport, type Preview } from '#lib/dashboard/rate-decks/resources.ts';
import { request, RequestProblem } from '#lib/dashboard/request.ts';
import { DryRunProblem, fileMessage } from './DryRunProblem.tsx';
import { PreviewTables } from './PreviewTables.tsx';
import type { DryRunState, SheetFile } from './use-dry-run.ts';
import { Working } from './Working.tsx';

interface ChangesStepProps {
  deck: Deck;
  file: SheetFile;
  options: ImportOptions;
  onOptions(options: ImportOptions): void;
  dryRun: DryRunState;
  onBack(): void;
  onOtherFile(): void;
  onBusy(busy: boolean): void;
  onImported(imported: DeckImport): void;
}

const modes = [
  {
    value: 'FULL',
    label: 'The whole price list',
    note: 'Prices of prefixes that are missing from the file end on the earliest date in the file, or now if that date has passed. Their scheduled prices are removed.',
  },
  {
    value: 'CHANGES',
    label: 'Only changes',
    note: 'Prefixes that are not in the file keep their prices.',
  },
];

/** What importing the file would change, and the button that does it. */
export function ChangesStep(props: ChangesStepProps) {
  const { deck, file, options, onOptions, dryRun, onBack, onOtherFile, onBusy, onImported } = props;
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<RequestProblem | null>(null);
  /** The same for a repeat after the connection was lost: the first request may have imported the file. */
  const idempotencyKey = useRef<string | null>(null);
  const preview = dryRun.data?.preview ?? undefined;
  const working = (now: boolean) => {
    setBusy(now);
    onBusy(now);
  };
  const run = async () => {
    idempotencyKey.current ??= crypto.randomUUID();
    working(true);
    setProblem(null);
    try {
      const answer = await request(
        'POST',
        '/v1/rate-decks/{deckId}/import',
        { path: { deckId: deck.id }, body: importBodyOf(file, options) },
        { idempotencyKey: idempotencyKey.current },
      );
      await invalidate(client, DECK_PATHS);
      working(false);
      if ('import' in answer) onImported(answer.import);
    } catch (failure) {
      working(false);
      if (!(failure instanceof RequestProblem)) throw failure;
      if (failure.code !== 'unreachable') idempotencyKey.current = null;
      setProblem(failure);
    }
  };
  return (
    <div className="flex min-w-0 flex-col gap-6">
      <RadioCards
        name="mode"
        label="What does the file contain?"
        columns={2}
        choices={modes}
        value={options.mode}
        disabled={busy}
        onValueChange={(mode) => {
          idempotencyKey.current = null;
          onOptions({ ...options, mode: mode as ImportMode });
        }}
      />
      {dryRun.problem !== null ? (
        <DryRunProblem
          problem={dryRun.problem}
          file={file}
          onRetry={dryRun.retry}
          onOtherFile={onOtherFile}
        />
      ) : preview === undefined ? (
        <Skeleton className="h-40" />
      ) : (
        <div className={dryRun.loading ? 'opacity-60' : ''} aria-busy={dryRun.loading}>
          <PreviewTables preview={preview} />
        </div>
      )}
      {problem !== null && (
        <Notice tone="negative" title="The file was not imported">
          {fileMessage(problem, file.name)}
          {problem.code === 'unreachable' &&
            ' Import again: if the first request did arrive, the file is not imported twice.'}
        </Notice>
      )}
      <div className="sticky bottom-0 -mx-4 border-t border-line bg-canvas px-4 py-3 sm:mx-0 sm:px-0">
        <FormActions className="pt-0!">
          <Button
            tone="accent"
            busy={busy}
            disabled={preview === undefined || dryRun.loading || isUnreadable(preview)}
            onClick={() => void run()}
          >
            {importLabel(preview)}
          </Button>
          <Button onClick={onBack} disabled={busy}>
            Back
          </Button>
          {busy ? (
            <Working
              label={`Importing ${file.name}`}
              inline
              note="Large files can take up to a minute. All prices change at once when the import finishes."
            />
          ) : (
            <span className="text-muted">Nothing has been changed yet.</span>
          )}
        </FormActions>
      </div>
    </div>
  );
}

const isUnreadable = ({ rows, skipped }: Preview): boolean => rows === skipped;

function importLabel(preview: Preview | undefined): string {
  const changes = preview === undefined ? 0 : preview.added + preview.changed + preview.ended;
  return changes === 0 ? 'Import the file' : `Import ${counted(changes, 'change')}`;
}
