import type { Tone } from '../shared/tones.ts';

/** One band of the x axis, with the value of each series under the key of the series. Null is a gap. */
export type ChartRow = Record<string, string | number | null>;

export interface ChartSeries {
  key: string;
  label: string;
  /** A semantic colour, or one of six that also differ in lightness. By default, its position in the list decides. */
  tone?: Tone | 1 | 2 | 3 | 4 | 5 | 6;
}

export interface ChartProps {
  data: readonly ChartRow[];
  series: readonly ChartSeries[];
  /** What the chart shows; its accessible name. */
  label: string;
  /** The key of the row field that names its band, or a function that returns the name. */
  x: string | ((row: ChartRow) => string);
  /** Formats a value: "12 s". */
  format?: (value: number) => string;
  /** In pixels. */
  height?: number;
  className?: string;
}

const meanings: Record<Tone, string> = {
  neutral: 'var(--cl-series-6)',
  accent: 'var(--cl-accent)',
  positive: 'var(--cl-positive)',
  negative: 'var(--cl-negative)',
  warning: 'var(--cl-warning)',
};

const COLOURS = 6;

export function colourOf({ tone }: ChartSeries, index: number): string {
  return typeof tone === 'string' ? meanings[tone] : `var(--cl-series-${tone ?? (index % COLOURS) + 1})`;
}

export function nameOf(row: ChartRow, x: ChartProps['x']): string {
  return typeof x === 'function' ? x(row) : String(row[x] ?? '');
}

export function valueOf(row: ChartRow, key: string): number | null {
  const value = row[key];
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
