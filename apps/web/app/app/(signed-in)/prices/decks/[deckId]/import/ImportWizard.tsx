'use client';

import { Steps } from '@clarion/ui';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useLeaveGuard } from '#lib/dashboard/edit/EditDrawer.tsx';
import { noOptions, type ImportOptions } from '#lib/dashboard/rate-decks/import-options.ts';
import type { Deck, DeckImport } from '#lib/dashboard/rate-decks/resources.ts';
import { ChangesStep } from './ChangesStep.tsx';
import { ColumnsStep } from './ColumnsStep.tsx';
import { FileStep } from './FileStep.tsx';
import { Imported } from './Imported.tsx';
import { useDryRun, type SheetFile } from './use-dry-run.ts';

const FILE = 0;
const COLUMNS = 1;
const CHANGES = 2;
const stepTitles = ['File', 'Columns', 'Changes'];
const headings = ['Which file?', 'How is it read?', 'What does it change?'];

/** From a file to imported prices: choose it, check how it is read, see what it changes, import it. */
export function ImportWizard({ deck }: { deck: Deck }) {
  const [step, setStep] = useState(FILE);
  const [file, setFile] = useState<SheetFile | null>(null);
  const [options, setOptions] = useState<ImportOptions>(noOptions);
  const [busy, setBusy] = useState(false);
  const [imported, setImported] = useState<DeckImport | null>(null);
  const dryRun = useDryRun(deck.id, file, options);
  useLeaveGuard(file !== null && imported === null);
  const heading = useFocusOn(imported === null ? step : stepTitles.length);

  if (imported !== null) {
    return (
      <Imported
        deck={deck}
        imported={imported}
        heading={<Heading ref={heading}>The file was imported</Heading>}
        onAnother={() => {
          setFile(null);
          setOptions(noOptions);
          setImported(null);
          setStep(FILE);
        }}
      />
    );
  }
  const back = () => setStep(step - 1);
  const otherFile = () => setStep(FILE);
  return (
    <div className="flex min-w-0 flex-col gap-6">
      <Steps
        label="Import rates"
        steps={stepTitles}
        current={step}
        {...(!busy && { onStep: (index: number) => setStep(index) })}
      />
      <Heading ref={heading}>{headings[step]}</Heading>
      {step === FILE && (
        <FileStep
          file={file}
          onFile={(chosen) => {
            setFile(chosen);
            setOptions(noOptions);
            setStep(COLUMNS);
          }}
          onContinue={() => setStep(COLUMNS)}
        />
      )}
      {file !== null && step === COLUMNS && (
        <ColumnsStep
          file={file}
          options={options}
          onOptions={setOptions}
          dryRun={dryRun}
          onBack={back}
          onOtherFile={otherFile}
          onContinue={() => setStep(CHANGES)}
        />
      )}
      {file !== null && step === CHANGES && (
        <ChangesStep
          deck={deck}
          file={file}
          options={options}
          onOptions={setOptions}
          dryRun={dryRun}
          onBack={back}
          onOtherFile={otherFile}
          onBusy={setBusy}
          onImported={setImported}
        />
      )}
    </div>
  );
}

function Heading({ ref, children }: { ref: React.Ref<HTMLHeadingElement>; children: ReactNode }) {
  return (
    <h2 ref={ref} tabIndex={-1} className="text-lg font-semibold text-ink outline-hidden">
      {children}
    </h2>
  );
}

/** Moves the focus to the heading of the next step, so that screen readers read on from there. */
function useFocusOn(step: number) {
  const heading = useRef<HTMLHeadingElement>(null);
  const [shown, setShown] = useState(step);
  useEffect(() => {
    if (step === shown) return;
    setShown(step);
    heading.current?.focus();
  }, [step, shown]);
  return heading;
}
