import { CircleCheck, CircleDashed, CircleHelp, CircleX, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Spinner } from '../shared/Spinner.tsx';
import { classNames } from '../shared/class-names.ts';
import { textTone, type Tone } from '../shared/tones.ts';

export type CheckState = 'ok' | 'warning' | 'failed' | 'skipped' | 'unknown' | 'running';

export interface Check {
  key: string;
  state: CheckState;
  /** What was checked. */
  title: ReactNode;
  /** What was found. */
  text?: ReactNode;
  /** What to do about it. */
  fix?: ReactNode;
  /** Links or a button, for example to the field that decides about it. */
  action?: ReactNode;
}

export interface CheckListProps {
  /** The accessible name of the list. */
  label: string;
  checks: readonly Check[];
  className?: string;
}

const states: Record<CheckState, { name: string; Icon: typeof CircleCheck | null; tone: Tone }> = {
  ok: { name: 'Works', Icon: CircleCheck, tone: 'positive' },
  warning: { name: 'Warning', Icon: TriangleAlert, tone: 'warning' },
  failed: { name: 'Does not work', Icon: CircleX, tone: 'negative' },
  skipped: { name: 'Skipped', Icon: CircleDashed, tone: 'neutral' },
  unknown: { name: 'Not known', Icon: CircleHelp, tone: 'neutral' },
  running: { name: 'Running', Icon: null, tone: 'neutral' },
};

/** The results of several checks, each with what to do next. */
export function CheckList({ label, checks, className }: CheckListProps) {
  return (
    <ul
      aria-label={label}
      aria-live="polite"
      className={classNames(
        'flex min-w-0 flex-col divide-y divide-line rounded-panel border border-line bg-surface',
        className,
      )}
    >
      {checks.map(({ key, state, title, text, fix, action }) => {
        const { name, Icon, tone } = states[state];
        return (
          <li key={key} className="flex gap-3 px-4 py-3 text-md sm:px-5">
            <span
              role="img"
              aria-label={name}
              title={name}
              className={classNames('mt-0.5 shrink-0', textTone[tone])}
            >
              {Icon === null ? <Spinner className="size-4.5" /> : <Icon className="size-4.5" aria-hidden />}
            </span>
            <div className="flex min-w-0 flex-1 flex-wrap items-start gap-x-4 gap-y-1.5">
              <div className="min-w-0 flex-1 basis-60 text-pretty wrap-anywhere">
                <p className="font-medium text-ink">{title}</p>
                {text !== undefined && <p className="text-muted">{text}</p>}
                {fix !== undefined && <p className="mt-1 text-ink">{fix}</p>}
              </div>
              {action !== undefined && (
                <div className="flex shrink-0 flex-wrap items-center gap-x-4 gap-y-1">{action}</div>
              )}
            </div>
          </li>
        );
      })}
    </ul>
  );
}
