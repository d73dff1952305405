import { useMemo } from 'react';
import { classNames } from '../shared/class-names.ts';
import { pathOf } from './peaks.ts';

interface WaveProps {
  peaks: readonly number[];
  /** The highlighted part, as shares of the whole. */
  from: number;
  to: number;
  faint?: boolean;
  className?: string;
}

/** The waveform of one channel, without labels or controls. */
export function Wave({ peaks, from, to, faint = false, className }: WaveProps) {
  const path = useMemo(() => pathOf(peaks), [peaks]);
  const shape = (look: string) => (
    <svg
      aria-hidden
      viewBox={`0 0 ${peaks.length} 100`}
      preserveAspectRatio="none"
      className={classNames('absolute inset-0 size-full', look)}
    >
      <path d={path} stroke="currentColor" strokeWidth={1.5} vectorEffect="non-scaling-stroke" />
    </svg>
  );
  return (
    <div className={classNames('relative', faint && 'opacity-35', className)}>
      {shape('text-line-strong opacity-60')}
      <div className="absolute inset-0" style={{ clipPath: `inset(0 ${(1 - to) * 100}% 0 ${from * 100}%)` }}>
        {shape('text-accent')}
      </div>
    </div>
  );
}
