'use client';

import { Fragment } from 'react';
import { Frame, type Plot } from './Frame.tsx';
import { colourOf, valueOf, type ChartProps, type ChartRow } from './model.ts';

const BAR_MAX = 40;
/** The share of a band that its bars fill. */
const BAR_SHARE = 0.68;
const POINTS_SHOWN = 40;

/** One bar for each series in each band. */
export function BarChart(props: ChartProps) {
  const { data, series } = props;
  return (
    <Frame
      {...props}
      max={largest(data, (row) => series.map(({ key }) => valueOf(row, key) ?? 0))}
      draw={({ x, y, slot, ground }) => {
        const width = Math.min(BAR_MAX, (slot * BAR_SHARE) / series.length);
        return data.map((row, index) =>
          series.map((one, order) => {
            const value = valueOf(row, one.key);
            if (value === null || value <= 0) return null;
            const start = x(index) + (order - series.length / 2) * width;
            return (
              <Bar
                key={`${index} ${one.key}`}
                x={start}
                width={width}
                top={y(value)}
                bottom={ground}
                fill={colourOf(one, order)}
                round
              />
            );
          }),
        );
      }}
    />
  );
}

/** The series stacked on top of each other. */
export function StackedBars(props: ChartProps) {
  const { data, series } = props;
  return (
    <Frame
      {...props}
      max={largest(data, (row) => [
        series.reduce((sum, { key }) => sum + Math.max(0, valueOf(row, key) ?? 0), 0),
      ])}
      draw={({ x, y, slot }) => {
        const width = Math.min(BAR_MAX, slot * BAR_SHARE);
        return data.map((row, index) => {
          let below = 0;
          const present = series.filter(({ key }) => (valueOf(row, key) ?? 0) > 0);
          return present.map((one) => {
            const from = below;
            below += valueOf(row, one.key) ?? 0;
            return (
              <Bar
                key={`${index} ${one.key}`}
                x={x(index) - width / 2}
                width={width}
                top={y(below)}
                bottom={y(from)}
                fill={colourOf(one, series.indexOf(one))}
                round={one === present.at(-1)}
              />
            );
          });
        });
      }}
    />
  );
}

/** A line for each series; a missing value is a gap. */
export function LineChart(props: ChartProps) {
  const { data, series } = props;
  return (
    <Frame
      {...props}
      max={largest(data, (row) => series.map(({ key }) => valueOf(row, key) ?? 0))}
      draw={(plot) =>
        series.map((one, order) => {
          const colour = colourOf(one, order);
          return (
            <Fragment key={one.key}>
              <path
                d={lineOf(data, one.key, plot)}
                fill="none"
                stroke={colour}
                strokeWidth={2}
                strokeLinejoin="round"
                strokeLinecap="round"
              />
              {data.length <= POINTS_SHOWN &&
                data.map((row, index) => {
                  const value = valueOf(row, one.key);
                  return value === null ? null : (
                    <circle key={index} cx={plot.x(index)} cy={plot.y(value)} r={2.5} fill={colour} />
                  );
                })}
            </Fragment>
          );
        })
      }
    />
  );
}

interface BarProps {
  x: number;
  width: number;
  top: number;
  bottom: number;
  fill: string;
  /** A bar with rounded upper corners. */
  round: boolean;
}

const CORNER = 3;

function Bar({ x, width, top, bottom, fill, round }: BarProps) {
  const corner = round ? Math.min(CORNER, width / 2, bottom - top) : 0;
  return (
    <path
      fill={fill}
      stroke="var(--cl-surface)"
      strokeWidth={1}
      d={`M${x},${bottom}V${top + corner}q0,${-corner} ${corner},${-corner}H${x + width - corner}q${corner},0 ${corner},${corner}V${bottom}Z`}
    />
  );
}

function lineOf(data: readonly ChartRow[], key: string, { x, y }: Plot): string {
  let drawing = false;
  return data
    .map((row, index) => {
      const value = valueOf(row, key);
      if (value === null) {
        drawing = false;
        return '';
      }
      const step = `${drawing ? 'L' : 'M'}${x(index).toFixed(1)},${y(value).toFixed(1)}`;
      drawing = true;
      return step;
    })
    .join('');
}

const largest = (data: readonly ChartRow[], values: (row: ChartRow) => number[]): number =>
  data.reduce((max, row) => Math.max(max, ...values(row)), 0);
