import { ArrowDownRight, ArrowRight, ArrowUpRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { classNames } from '../shared/class-names.ts';
import { textTone, type Tone } from '../shared/tones.ts';

export interface StatTrend {
  direction: 'up' | 'down' | 'flat';
  /** "12% more than last week". */
  text: string;
  /** Whether the change is good; an increase is not always. */
  tone?: Tone;
}

export interface StatProps {
  /** May contain a `Definition`. */
  label: ReactNode;
  value: ReactNode;
  hint?: ReactNode;
  trend?: StatTrend;
  tone?: Tone;
  className?: string;
}

const arrows = { up: ArrowUpRight, down: ArrowDownRight, flat: ArrowRight };

/** A figure with its label. */
export function Stat({ label, value, hint, trend, tone = 'neutral', className }: StatProps) {
  const Arrow = arrows[trend?.direction ?? 'flat'];
  return (
    <div className={classNames('min-w-0', className)}>
      <div className="text-sm text-muted">{label}</div>
      <div
        className={classNames(
          'mt-0.5 text-xl font-semibold tracking-tight tabular-nums',
          tone === 'neutral' ? 'text-ink' : textTone[tone],
        )}
      >
        {value}
      </div>
      {trend !== undefined && (
        <div
          className={classNames('mt-0.5 flex items-center gap-1 text-sm', textTone[trend.tone ?? 'neutral'])}
        >
          <Arrow className="size-3.5 shrink-0" aria-hidden />
          {trend.text}
        </div>
      )}
      {hint !== undefined && <div className="mt-0.5 text-sm text-muted">{hint}</div>}
    </div>
  );
}

/** A row of figures, separated by hairlines. If they wrap, the second row fills the whole width. */
export function StatRow({ children, className }: { children: ReactNode; className?: string }) {
  return (
    <div className={classNames('overflow-hidden rounded-panel border border-line bg-surface', className)}>
      <div className="-mt-px -ml-px grid grid-cols-2 max-sm:[&>*:last-child:nth-child(odd)]:col-span-2 sm:flex sm:flex-wrap sm:[&>*]:flex-[1_1_8.5rem] [&>*]:border-t [&>*]:border-l [&>*]:border-line [&>*]:p-4">
        {children}
      </div>
    </div>
  );
}
