'use client';

import { Upload } from 'lucide-react';
import { useId, useState, type ReactNode } from 'react';
import { classNames } from '../shared/class-names.ts';
import { formatBytes } from '../shared/format.ts';

export interface FileDropProps {
  /** As in `<input type="file">`: ".csv,text/csv", "audio/*". */
  accept: string;
  maxBytes: number;
  label: string;
  hint?: ReactNode;
  onFile(file: File): void;
  /** Why a file is rejected, in words that fit it better than its type; checked first. */
  refuse?(file: File): string | undefined;
  disabled?: boolean;
  /** The server's error about the file. */
  error?: string;
  className?: string;
}

/** Accepts one file by drag and drop or by selection, and rejects files of the wrong size or type. */
export function FileDrop({
  accept,
  maxBytes,
  label,
  hint,
  onFile,
  refuse: refuseFirst,
  disabled = false,
  error,
  className,
}: FileDropProps) {
  const id = useId();
  const [over, setOver] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [chosen, setChosen] = useState<File>();
  const wrong = problem ?? error;
  const take = (file: File | undefined) => {
    if (file === undefined || disabled) return;
    const refusal = refuseFirst?.(file) ?? refuse(file, accept, maxBytes);
    setProblem(refusal);
    setChosen(refusal === undefined ? file : undefined);
    if (refusal === undefined) onFile(file);
  };
  return (
    <div className={classNames('flex flex-col gap-1.5', className)}>
      <label
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          take(event.dataTransfer.files[0]);
        }}
        className={classNames(
          'flex flex-col items-center rounded-panel border border-dashed px-4 py-6 text-center text-md transition-colors focus-within:outline-2 focus-within:outline-offset-2 focus-within:outline-accent',
          over ? 'border-accent bg-accent-soft' : 'border-line-strong bg-surface',
          disabled ? 'opacity-60' : 'hover:bg-raised',
        )}
      >
        <Upload className="mb-2 size-5 text-muted" aria-hidden />
        <span className="font-medium text-ink">{label}</span>
        <span className="text-muted" id={`${id}-hint`}>
          {chosen === undefined
            ? (hint ?? `Drop a file here or choose one, up to ${formatBytes(maxBytes)}`)
            : `${chosen.name}, ${formatBytes(chosen.size)}`}
        </span>
        <input
          type="file"
          accept={accept}
          disabled={disabled}
          aria-describedby={`${id}-hint ${id}-error`}
          className="sr-only"
          onChange={({ target }) => {
            take(target.files?.[0]);
            // So that selecting the same file again, after correcting it, triggers a change event.
            target.value = '';
          }}
        />
      </label>
      <p id={`${id}-error`} role="alert" className="text-sm font-medium text-negative-text empty:hidden">
        {wrong}
      </p>
    </div>
  );
}

function refuse(file: File, accept: string, maxBytes: number): string | undefined {
  if (file.size > maxBytes)
    return `This file is ${formatBytes(file.size)}. The limit is ${formatBytes(maxBytes)}.`;
  const kinds = accept.split(',').map((kind) => kind.trim().toLowerCase());
  const fits = kinds.some(
    (kind) =>
      kind === '' ||
      kind === '*/*' ||
      (kind.startsWith('.') && file.name.toLowerCase().endsWith(kind)) ||
      (kind.endsWith('/*') ? file.type.startsWith(kind.slice(0, -1)) : file.type === kind),
  );
  return fits ? undefined : `This file type is not supported. Choose one of: ${kinds.join(', ')}.`;
}
