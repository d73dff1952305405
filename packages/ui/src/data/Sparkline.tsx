import { classNames } from '../shared/class-names.ts';

const WIDTH = 100;
const HEIGHT = 28;
const MARGIN = 2;

export interface SparklineProps {
  values: readonly number[];
  /** What it shows, for screen readers: "Calls per day, from 3 to 41". */
  label: string;
  className?: string;
}

/** A small line chart without axes. */
export function Sparkline({ values, label, className }: SparklineProps) {
  const low = Math.min(...values);
  const span = Math.max(...values) - low || 1;
  const last = Math.max(1, values.length - 1);
  const points = values.map((value, index) => {
    const x = (index / last) * WIDTH;
    const y = HEIGHT - MARGIN - ((value - low) / span) * (HEIGHT - 2 * MARGIN);
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      className={classNames('h-7 w-24 overflow-visible', className)}
    >
      <polyline
        points={points.join(' ')}
        fill="none"
        className="stroke-accent"
        strokeWidth={1.5}
        strokeLinejoin="round"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}
