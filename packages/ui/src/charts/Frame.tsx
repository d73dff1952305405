'use client';

import { ChartColumn, Table2 } from 'lucide-react';
import { useRef, useState, type PointerEvent, type ReactNode } from 'react';
import { Button } from '../actions/Button.tsx';
import { classNames } from '../shared/class-names.ts';
import { colourOf, nameOf, valueOf, type ChartProps } from './model.ts';
import { labelEvery, ticksUpTo } from './scale.ts';
import { useWidth } from './use-width.ts';

/** Used until the real width is known, as on a server. */
const FIRST_WIDTH = 640;
const DEFAULT_HEIGHT = 220;
const TICKS = 4;
const TOP = 8;
const BOTTOM = 24;
const DIGIT_WIDTH = 7.2;
const LABEL_WIDTH = 64;

/** The geometry of a chart, in pixels. */
export interface Plot {
  /** The centre of the n-th band. */
  x(index: number): number;
  y(value: number): number;
  /** The width of one band. */
  slot: number;
  /** The y coordinate of 0. */
  ground: number;
}

interface FrameProps extends ChartProps {
  /** The largest value drawn. */
  max: number;
  draw(plot: Plot): ReactNode;
}

const plain = new Intl.NumberFormat('en-GB');

/** The axes, the legend, the values under the pointer, and the same figures as a table. */
export function Frame({
  data,
  series,
  label,
  x,
  format = (value) => plain.format(value),
  height = DEFAULT_HEIGHT,
  className,
  max,
  draw,
}: FrameProps) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box, FIRST_WIDTH);
  const [asTable, setAsTable] = useState(false);
  const [at, setAt] = useState<number | null>(null);
  const whole = data.every((row) => series.every(({ key }) => Number.isInteger(valueOf(row, key) ?? 0)));
  const ticks = ticksUpTo(max, TICKS, whole);
  const left = Math.ceil(Math.max(...ticks.map((tick) => format(tick).length)) * DIGIT_WIDTH) + 8;
  const inner = Math.max(1, width - left);
  const slot = inner / Math.max(1, data.length);
  const ground = height - BOTTOM;
  const top = ticks.at(-1) ?? 1;
  const plot: Plot = {
    x: (index) => left + slot * (index + 0.5),
    y: (value) => ground - (value / top) * (ground - TOP),
    slot,
    ground,
  };
  const every = labelEvery(data.length, inner, LABEL_WIDTH);
  const point = ({ clientX, currentTarget }: PointerEvent) => {
    const index = Math.floor((clientX - currentTarget.getBoundingClientRect().left - left) / slot);
    setAt(index >= 0 && index < data.length ? index : null);
  };
  const row = at === null ? undefined : data[at];
  return (
    <figure aria-label={label} className={classNames('m-0 flex min-w-0 flex-col gap-2 text-ink', className)}>
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <ul className="flex flex-wrap gap-x-4 gap-y-1 text-sm">
          {series.map((one, index) => (
            <li key={one.key} className="flex items-center gap-1.5">
              <span
                aria-hidden
                className="size-2.5 rounded-[3px]"
                style={{ background: colourOf(one, index) }}
              />
              {one.label}
            </li>
          ))}
        </ul>
        <Button
          tone="plain"
          size="sm"
          className="-mr-2 text-muted"
          icon={
            asTable ? (
              <ChartColumn className="size-4" aria-hidden />
            ) : (
              <Table2 className="size-4" aria-hidden />
            )
          }
          onClick={() => setAsTable(!asTable)}
        >
          {asTable ? 'Show as chart' : 'Show as table'}
        </Button>
      </div>
      {asTable ? (
        <Figures {...{ data, series, label, x, format }} />
      ) : (
        <div
          ref={box}
          className="relative min-w-0 touch-pan-y"
          style={{ height }}
          onPointerMove={point}
          onPointerDown={point}
          onPointerLeave={() => setAt(null)}
        >
          {/* Never wider than its container, even before a container that shrank is measured again. */}
          <svg
            role="img"
            aria-label={label}
            width={width}
            height={height}
            className="absolute inset-0 block max-w-full"
          >
            {ticks.map((tick) => (
              <g key={tick}>
                <line
                  x1={left}
                  x2={width}
                  y1={plot.y(tick)}
                  y2={plot.y(tick)}
                  className="stroke-line"
                  shapeRendering="crispEdges"
                />
                <text
                  x={left - 8}
                  y={plot.y(tick)}
                  dominantBaseline="central"
                  textAnchor="end"
                  className="fill-muted text-xs tabular-nums"
                >
                  {format(tick)}
                </text>
              </g>
            ))}
            {at !== null && (
              <rect
                x={plot.x(at) - slot / 2}
                width={slot}
                y={TOP}
                height={ground - TOP}
                className="fill-raised"
              />
            )}
            {draw(plot)}
            {data.map(
              (one, index) =>
                index % every === 0 && (
                  <text
                    key={index}
                    x={plot.x(index)}
                    y={height - 6}
                    textAnchor={index === 0 && slot < LABEL_WIDTH ? 'start' : 'middle'}
                    className="fill-muted text-xs tabular-nums"
                  >
                    {nameOf(one, x)}
                  </text>
                ),
            )}
          </svg>
          {data.length === 0 && (
            <p className="absolute inset-x-0 top-1/3 text-center text-md text-muted">
              No data for this period
            </p>
          )}
          {at !== null && row !== undefined && (
            <div
              className="pointer-events-none absolute top-0 z-10 min-w-32 rounded-control border border-line bg-surface px-3 py-2 text-sm whitespace-nowrap shadow-card"
              style={
                plot.x(at) > width / 2
                  ? { right: width - plot.x(at) + slot / 2 + 8 }
                  : { left: plot.x(at) + slot / 2 + 8 }
              }
            >
              <p className="mb-1 font-medium">{nameOf(row, x)}</p>
              {series.map((one, index) => (
                <p key={one.key} className="flex items-center gap-1.5">
                  <span
                    aria-hidden
                    className="size-2 rounded-[2px]"
                    style={{ background: colourOf(one, index) }}
                  />
                  <span className="flex-1 pr-4 text-muted">{one.label}</span>
                  <span className="tabular-nums">{valueText(valueOf(row, one.key), format)}</span>
                </p>
              ))}
            </div>
          )}
        </div>
      )}
    </figure>
  );
}

type FiguresProps = Pick<ChartProps, 'data' | 'series' | 'label' | 'x'> & { format(value: number): string };

function Figures({ data, series, label, x, format }: FiguresProps) {
  return (
    <div
      tabIndex={0}
      role="region"
      aria-label={label}
      className="cl-focus max-h-80 overflow-auto rounded-control border border-line"
    >
      <table className="w-full border-collapse text-left text-sm">
        <caption className="sr-only">{label}</caption>
        <thead>
          <tr className="border-b border-line text-muted">
            <th scope="col" className="px-3 py-1.5 font-medium">
              Shown
            </th>
            {series.map(({ key, label: name }) => (
              <th key={key} scope="col" className="px-3 py-1.5 text-right font-medium">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line tabular-nums">
          {data.map((row, index) => (
            <tr key={index}>
              <th scope="row" className="px-3 py-1.5 font-normal whitespace-nowrap">
                {nameOf(row, x)}
              </th>
              {series.map(({ key }) => (
                <td key={key} className="px-3 py-1.5 text-right">
                  {valueText(valueOf(row, key), format)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const valueText = (value: number | null, format: (value: number) => string): string =>
  value === null ? '–' : format(value);
