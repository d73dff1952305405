import { Switch } from '@base-ui/react/switch';
import { useId } from 'react';

interface ToggleProps {
  label: string;
  note: string;
  /** Why the last change failed. */
  error?: string | null;
  on: boolean;
  disabled?: boolean;
  onChange(on: boolean): void;
}

/** A switch with a sentence that explains it. */
export function Toggle({ label, note, error = null, on, disabled = false, onChange }: ToggleProps) {
  const id = useId();
  const noteId = useId();
  return (
    <div className="flex items-start justify-between gap-4">
      <div className="min-w-0 text-sm">
        <p id={id} className="text-base font-medium text-ink">
          {label}
        </p>
        <p id={noteId} className="text-muted">
          {note}
        </p>
        {error !== null && (
          <p role="alert" className="text-negative-text">
            {error}
          </p>
        )}
      </div>
      <Switch.Root
        checked={on}
        disabled={disabled}
        onCheckedChange={onChange}
        aria-labelledby={id}
        aria-describedby={noteId}
        className="cl-focus mt-0.5 flex h-7 w-12 shrink-0 items-center rounded-full border border-line-strong bg-pressed px-0.5 transition-colors data-checked:border-accent data-checked:bg-accent data-disabled:opacity-60"
      >
        <Switch.Thumb className="size-5.5 rounded-full bg-surface shadow-sm transition-transform data-checked:translate-x-4.5" />
      </Switch.Root>
    </div>
  );
}
