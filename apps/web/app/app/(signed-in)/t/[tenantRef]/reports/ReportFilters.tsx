'use client';

import { CheckboxField, DateRangeField, SelectField } from '@clarion/ui';
import { dayPresets } from '#lib/dashboard/calls/days.ts';
import type { Names } from '#lib/dashboard/calls/use-names.ts';
import type { Interval } from '#lib/dashboard/reports/figures.ts';
import { SERVICE_LEVEL_SECONDS, type ReportView } from './use-report.ts';

const ANY = 'any';
const intervalNames: Record<Interval, string> = {
  HOUR: 'By hour',
  DAY: 'By day',
  WEEK: 'By week',
  MONTH: 'By month',
};

interface ReportFiltersProps {
  view: ReportView;
  names: Names;
  /** The agents' report knows only the period. */
  periodOnly: boolean;
}

export function ReportFilters({ view, names, periodOnly }: ReportFiltersProps) {
  const { url, days } = view;
  const choose = (name: string) => (value: string) => url.set({ [name]: value === ANY ? null : value });
  const listed = (any: string, all: readonly { ref: string; name: string }[]) => [
    { value: ANY, label: any },
    ...all.map(({ ref, name }) => ({ value: ref, label: name })),
  ];
  const seconds = [...new Set<number>([...SERVICE_LEVEL_SECONDS.choices, view.serviceLevelSeconds])];
  return (
    <div className="flex flex-wrap items-center gap-2" role="search" aria-label="Report filters">
      <DateRangeField
        {...days}
        presets={dayPresets(view.now)}
        onChange={({ from, to }) => url.set({ from, to, interval: null })}
      />
      {!periodOnly && (
        <>
          <SelectField
            label="Interval"
            hideLabel
            className="min-w-28 max-sm:flex-1"
            value={view.interval}
            choices={view.intervals.map((value) => ({ value, label: intervalNames[value] }))}
            onValueChange={choose('interval')}
          />
          <SelectField
            label="Service level"
            hideLabel
            className="min-w-36 max-sm:flex-1"
            value={String(view.serviceLevelSeconds)}
            choices={seconds
              .toSorted((a, b) => a - b)
              .map((count) => ({ value: String(count), label: `Within ${count} s` }))}
            onValueChange={choose('sl')}
          />
          <SelectField
            label="Queue"
            hideLabel
            className="min-w-36 max-sm:flex-1"
            value={view.queue || ANY}
            choices={listed('All queues', names.queues)}
            onValueChange={choose('queue')}
          />
          <SelectField
            label="Line"
            hideLabel
            className="min-w-36 max-sm:flex-1"
            value={view.line || ANY}
            choices={listed('All lines', names.lines)}
            onValueChange={choose('line')}
          />
          <CheckboxField
            label="Compare with previous period"
            checked={view.compare}
            onCheckedChange={(on) => url.set({ compare: on ? null : '0' })}
          />
        </>
      )}
    </div>
  );
}
