'use client';

import { SearchField, SelectField, TextField } from '@clarion/ui';
import {
  boundError,
  NOT_ENDED,
  statusChoices,
  type EntryFilters,
} from '#lib/dashboard/rate-decks/entry-filters.ts';

interface EntryFilterBarProps {
  filters: EntryFilters;
  /** In the names of the URL. */
  onChange(changes: { q?: string; status?: string; min?: string; max?: string }): void;
}

/** A select cannot have an empty value. */
const ANY = 'NOT_ENDED';
const choices = statusChoices.map((choice) =>
  choice.value === NOT_ENDED ? { ...choice, value: ANY } : choice,
);

export function EntryFilterBar({ filters, onChange }: EntryFilterBarProps) {
  const bound = (name: 'min' | 'max', label: string) => {
    const error = boundError(filters[name]);
    return (
      <TextField
        label={label}
        inputMode="decimal"
        value={filters[name]}
        onValueChange={(text) => onChange({ [name]: text })}
        autoComplete="off"
        placeholder="Any"
        {...(error !== undefined && { error })}
      />
    );
  };
  return (
    <div className="grid grid-cols-2 items-start gap-3 sm:flex">
      <div className="col-span-2 flex min-w-0 flex-col gap-1.5 sm:w-80">
        <span className="text-md font-medium text-ink" aria-hidden>
          Find
        </span>
        <SearchField
          label="Find by number or destination"
          placeholder="Number or destination"
          value={filters.q}
          onChange={(q) => onChange({ q })}
          className="sm:w-80"
        />
      </div>
      <div className="col-span-2 sm:w-56">
        <SelectField
          label="Status"
          choices={choices}
          value={filters.status ?? ANY}
          onValueChange={(value) => onChange({ status: value === ANY ? '' : value })}
        />
      </div>
      <div className="sm:w-32">{bound('min', 'Lowest rate')}</div>
      <div className="sm:w-32">{bound('max', 'Highest rate')}</div>
    </div>
  );
}
