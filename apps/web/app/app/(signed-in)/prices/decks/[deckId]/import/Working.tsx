'use client';

import { ProgressBar, Spinner } from '@clarion/ui';
import { useEffect, useState } from 'react';

const SHOWN_AFTER_MS = 2_000;

interface WorkingProps {
  label: string;
  active?: boolean;
  /** Beside a button that shows at once that something is in progress: only for what takes longer. */
  inline?: boolean;
  note?: string;
}

/** A task whose end is not known: at once a line, and after two seconds a bar. */
export function Working({ label, active = true, inline = false, note }: WorkingProps) {
  const long = useAfter(active, SHOWN_AFTER_MS);
  return (
    <div role="status" className="min-w-0 empty:hidden sm:min-w-80">
      {active && long ? (
        <div className="flex flex-col gap-1.5">
          <ProgressBar label={label} value={null} />
          {note !== undefined && <p className="text-muted">{note}</p>}
        </div>
      ) : (
        active &&
        !inline && (
          <p className="flex items-center gap-2 text-muted">
            <Spinner /> {label}
          </p>
        )
      )}
    </div>
  );
}

/** Whether it has been active for this long. */
function useAfter(active: boolean, milliseconds: number): boolean {
  const [passed, setPassed] = useState(false);
  useEffect(() => {
    if (!active) return;
    const timer = setTimeout(() => setPassed(true), milliseconds);
    return () => {
      clearTimeout(timer);
      setPassed(false);
    };
  }, [active, milliseconds]);
  return passed;
}
