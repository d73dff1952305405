'use client';

import { Button, DateRangeField, SearchField, SelectField, type Choice } from '@clarion/ui';
import { SlidersHorizontal, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { dayPresets } from '#lib/dashboard/calls/days.ts';
import { isFiltered, noFilters, type Filters } from '#lib/dashboard/calls/filters.ts';
import type { Names } from '#lib/dashboard/calls/use-names.ts';

interface CallFiltersProps {
  filters: Filters;
  names: Names;
  onChange(changes: Record<string, string | null>): void;
}

const ANY = 'any';
/** The search starts when the user stops typing. */
const REST_MS = 350;
const ALL_TIME = { label: 'All time', from: '', to: '' };

const statuses: Choice[] = [
  { value: ANY, label: 'Any state' },
  { value: 'live', label: 'Live now' },
  { value: 'TERMINATED', label: 'Ended' },
  { value: 'FAILED', label: 'Failed' },
];
const directions: Choice[] = [
  { value: ANY, label: 'Inbound and outbound' },
  { value: 'INBOUND', label: 'Inbound' },
  { value: 'OUTBOUND', label: 'Outbound' },
];

export function CallFilters({ filters, names, onChange }: CallFiltersProps) {
  const few = ['agent', 'queue', 'line', 'ref'] as const;
  const [more, setMore] = useState(few.some((name) => filters[name] !== ''));
  const [now] = useState(() => new Date());
  const lines = names.lines.map(({ name, type, ...line }) => ({
    ...line,
    name: type === 'WHATSAPP' ? `${name} (WhatsApp)` : name,
  }));
  const choose = (name: string) => (value: string) => onChange({ [name]: value === ANY ? null : value });
  const listed = (any: string, all: readonly { ref: string; name: string }[]): Choice[] => [
    { value: ANY, label: any },
    ...all.map(({ ref, name }) => ({ value: ref, label: name })),
  ];
  return (
    <div className="flex flex-col gap-3" role="search" aria-label="Filters">
      <div className="flex flex-wrap items-center gap-2">
        <Typed
          label="Search by customer number"
          placeholder="Customer number"
          value={filters.customer}
          onRest={(customer) => onChange({ customer })}
          className="min-w-52 flex-1 sm:max-w-72"
        />
        <DateRangeField
          from={filters.from}
          to={filters.to}
          presets={[ALL_TIME, ...dayPresets(now)]}
          onChange={({ from, to }) => onChange({ from, to })}
        />
        <Choose label="State" value={filters.status} choices={statuses} onChoose={choose('status')} />
        <Choose
          label="Direction"
          value={filters.direction}
          choices={directions}
          onChoose={choose('direction')}
        />
        <Button
          aria-expanded={more}
          icon={<SlidersHorizontal className="size-4" aria-hidden />}
          onClick={() => setMore(!more)}
        >
          {more ? 'Fewer filters' : 'More filters'}
        </Button>
        {isFiltered(filters) && (
          <Button
            tone="plain"
            icon={<X className="size-4" aria-hidden />}
            onClick={() => onChange(noFilters)}
          >
            Clear
          </Button>
        )}
      </div>
      {more && (
        <div className="flex flex-wrap items-center gap-2">
          <Choose
            label="Agent"
            value={filters.agent}
            choices={listed('Any agent', names.agents)}
            onChoose={choose('agent')}
          />
          <Choose
            label="Queue"
            value={filters.queue}
            choices={listed('Any queue', names.queues)}
            onChoose={choose('queue')}
          />
          <Choose
            label="Line"
            value={filters.line}
            choices={listed('Any line', lines)}
            onChoose={choose('line')}
          />
          <Typed
            label="Search by your reference"
            placeholder="Your reference"
            value={filters.ref}
            onRest={(ref) => onChange({ ref })}
            className="min-w-44"
          />
        </div>
      )}
    </div>
  );
}

interface ChooseProps {
  label: string;
  value: string;
  choices: readonly Choice[];
  onChoose(value: string): void;
}

function Choose({ label, value, choices, onChoose }: ChooseProps) {
  return (
    <SelectField
      label={label}
      hideLabel
      choices={choices}
      value={value === '' ? ANY : value}
      onValueChange={onChoose}
      className="min-w-32 max-sm:flex-1"
    />
  );
}

interface TypedProps {
  label: string;
  placeholder: string;
  value: string;
  onRest(value: string): void;
  className: string;
}

function Typed({ label, placeholder, value, onRest, className }: TypedProps) {
  const [text, setText] = useState(value);
  // The URL can also change through Clear or the browser's Back.
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) return undefined;
    const rest = setTimeout(() => onRest(text), REST_MS);
    return () => clearTimeout(rest);
  });
  return (
    <SearchField
      label={label}
      placeholder={placeholder}
      value={text}
      onChange={setText}
      className={className}
    />
  );
}
