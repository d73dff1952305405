'use client';

import { Button, FieldGroup, Form, FormActions, Notice, NumberField, SelectField } from '@clarion/ui';
import { useMemo, useState } from 'react';
import {
  dateFormats,
  fieldLabels,
  foundText,
  readSample,
  sheetFields,
  withColumn,
  type DateFormat,
  type ImportOptions,
  type SheetField,
} from '#lib/dashboard/rate-decks/import-options.ts';
import type { Reading } from '#lib/dashboard/rate-decks/resources.ts';
import { samplesOf } from '#lib/dashboard/rate-decks/sheet-sample.ts';
import { DryRunProblem } from './DryRunProblem.tsx';
import type { DryRunState, SheetFile } from './use-dry-run.ts';
import { Working } from './Working.tsx';

interface ColumnsStepProps {
  file: SheetFile;
  options: ImportOptions;
  onOptions(options: ImportOptions): void;
  dryRun: DryRunState;
  onBack(): void;
  onOtherFile(): void;
  onContinue(): void;
}

const MAX_BLOCK_SECONDS = 3600;
/** A choice that no heading is: a column without one cannot be chosen. */
const NO_COLUMN = '';
const LEFT_OUT_AGAIN = 'Left out, as in the last import.';

/** How the service reads the file, which can be changed. */
export function ColumnsStep(props: ColumnsStepProps) {
  const { file, options, onOptions, dryRun, onBack, onOtherFile, onContinue } = props;
  const [errors, setErrors] = useState<Record<string, string>>({});
  const reading = dryRun.data?.reading;
  const next = () => {
    if (dryRun.loading || reading === undefined) return;
    const [missing] = reading.missing;
    if (missing === undefined) onContinue();
    else setErrors({ [missing]: `Choose the column with the ${missing === 'rate' ? 'rates' : 'prefixes'}.` });
  };
  if (reading === undefined) {
    return dryRun.problem === null ? (
      <Working label={`Reading ${file.name}`} />
    ) : (
      <DryRunProblem problem={dryRun.problem} file={file} onRetry={dryRun.retry} onOtherFile={onOtherFile} />
    );
  }
  return (
    <Form errors={errors} busy={dryRun.loading} onSubmit={next} className="max-w-4xl">
      {dryRun.problem !== null && (
        <DryRunProblem
          problem={dryRun.problem}
          file={file}
          onRetry={dryRun.retry}
          onOtherFile={onOtherFile}
        />
      )}
      <ColumnFields
        file={file}
        reading={reading}
        onColumn={(field, heading) => {
          setErrors({});
          onOptions(withColumn(reading, options, field, heading));
        }}
      />
      {reading.columns.effectiveFrom !== null && (
        <DateFields dates={reading.dates} onFormat={(dateFormat) => onOptions({ ...options, dateFormat })} />
      )}
      <FieldGroup
        title="Billing blocks"
        hint={
          reading.periods.inFile
            ? 'Used for rows without one in the file.'
            : 'The file has no column with billing blocks, so all its prices get these.'
        }
      >
        <div className="flex flex-wrap gap-x-8 gap-y-4">
          <NumberField
            name="initial_seconds"
            label="First block"
            unit="seconds"
            min={1}
            max={MAX_BLOCK_SECONDS}
            value={options.initialSeconds ?? reading.periods.initialSeconds}
            onValueChange={(initialSeconds) => onOptions({ ...options, initialSeconds })}
          />
          <NumberField
            name="increment_seconds"
            label="Further blocks"
            unit="seconds"
            min={1}
            max={MAX_BLOCK_SECONDS}
            value={options.incrementSeconds ?? reading.periods.incrementSeconds}
            onValueChange={(incrementSeconds) => onOptions({ ...options, incrementSeconds })}
          />
        </div>
      </FieldGroup>
      <FormActions>
        <Button tone="accent" type="submit" busy={dryRun.loading}>
          Continue
        </Button>
        <Button onClick={onBack}>Back</Button>
        <Working label={`Reading ${file.name}`} active={dryRun.loading} inline />
      </FormActions>
    </Form>
  );
}

interface ColumnFieldsProps {
  file: SheetFile;
  reading: Reading;
  onColumn(field: SheetField, heading: string | null): void;
}

function ColumnFields({ file, reading, onColumn }: ColumnFieldsProps) {
  const { header, columns, found, missing } = reading;
  const samples = useMemo(() => samplesOf(file.text, header), [file, header]);
  const sampleOf = (heading: string) => samples[header.indexOf(heading)]?.join(' · ') ?? '';
  const named = [...new Set(header)].filter((heading) => heading !== NO_COLUMN);
  const required = named.map((heading) => ({ value: heading, label: heading, note: sampleOf(heading) }));
  const optional = [{ value: NO_COLUMN, label: 'Not in the file' }, ...required];
  return (
    <>
      {missing.length > 0 && (
        <Notice tone="warning" title={missingTitle(missing)}>
          Choose {missing.length > 1 ? 'them' : 'it'} below. Every price needs a prefix and a rate.
        </Notice>
      )}
      <fieldset className="grid min-w-0 gap-x-6 gap-y-5 sm:grid-cols-2 lg:grid-cols-3">
        <legend className="sr-only">Columns</legend>
        {sheetFields.map((field) => {
          const heading = columns[field];
          const { label, hint, required: isRequired = false } = fieldLabels[field];
          const withoutColumn = found[field] === 'last' ? LEFT_OUT_AGAIN : hint;
          return (
            <SelectField
              key={field}
              name={field}
              label={label}
              optional={!isRequired}
              placeholder={isRequired ? 'Choose a column' : 'Not in the file'}
              choices={isRequired ? required : optional}
              value={heading ?? (isRequired ? null : NO_COLUMN)}
              onValueChange={(chosen) => onColumn(field, chosen === NO_COLUMN ? null : chosen)}
              hint={
                heading === null ? (
                  withoutColumn
                ) : (
                  <span className="flex min-w-0 flex-col">
                    <span className="truncate tabular-nums text-ink">{sampleOf(heading)}</span>
                    {foundText(found[field])}
                  </span>
                )
              }
            />
          );
        })}
      </fieldset>
    </>
  );
}

const missingTitle = ([first = 'prefix', second]: Reading['missing']): string =>
  second === undefined
    ? `The column with the ${first} was not found`
    : `The columns with the ${first} and the ${second} were not found`;

interface DateFieldsProps {
  dates: Reading['dates'];
  onFormat(format: DateFormat): void;
}

function DateFields({ dates: { format, sure, sample }, onFormat }: DateFieldsProps) {
  const read = sample === null ? null : readSample(sample, format);
  return (
    <FieldGroup title="Dates">
      {!sure && sample !== null && (
        <Notice tone="warning" title="Does the day or the month come first?">
          The dates in this file can be read either way. Check how the first one is read, and choose the other
          order if it is wrong.
        </Notice>
      )}
      <SelectField
        name="date_format"
        label="Order of dates"
        className="max-w-96"
        choices={dateFormats}
        value={format}
        onValueChange={(value) => onFormat(value as DateFormat)}
        hint={
          sample === null ? (
            'The file has no dates in this column.'
          ) : (
            <>
              The first date in the file, “{sample}”, is{' '}
              {read === null ? (
                'not a date in this order'
              ) : (
                <>
                  read as <span className="whitespace-nowrap text-ink">{read}</span>
                </>
              )}
              .
            </>
          )
        }
      />
    </FieldGroup>
  );
}
