import type { Tone } from '../shared/tones.ts';

/** One place on the lower axis; a series' value stands under the series' key. Null is a gap. */
export type ChartRow = Record<string, string | number | null>;

export interface ChartSeries {
  key: string;
  label: string;
  /** Its colour: a meaning, or one of six that differ in lightness too. By its place in the list without it. */
  tone?: Tone | 1 | 2 | 3 | 4 | 5 | 6;
}

export interface ChartProps {
  data: readonly ChartRow[];
  series: readonly ChartSeries[];
  /** What the chart shows, as its name. */
  label: string;
  /** The key of a row that names its place, or what makes the name. */
  x: string | ((row: ChartRow) => string);
  /** A value in words: "12 s". */
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
