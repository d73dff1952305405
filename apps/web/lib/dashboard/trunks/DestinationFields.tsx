'use client';

import { Button, IconButton, NumberField, TextField } from '@clarion/ui';
import { Plus, X } from 'lucide-react';
import { newDestination, type TrunkDraft } from './trunk-draft.ts';
import type { TrunkFieldsProps } from './TrunkFields.tsx';

const MAX_PORT = 65_535;
const MAX_DESTINATIONS = 8;
const MAX_PRIORITY = 65_535;

/** Further addresses of the carrier, by priority and weight. */
export function DestinationFields({ draft, change }: TrunkFieldsProps) {
  const { destinations } = draft;
  const set = (index: number, changes: Partial<TrunkDraft['destinations'][number]>) =>
    change({ destinations: destinations.map((each, at) => (at === index ? { ...each, ...changes } : each)) });
  return (
    <>
      {destinations.map((destination, index) => (
        <div
          key={index}
          role="group"
          aria-label={`Address ${index + 1}`}
          className="relative grid items-start gap-4 rounded-control border border-line p-4 sm:grid-cols-2"
        >
          <TextField
            name={`destinations[${index}].host`}
            label="Host"
            mono
            className="sm:col-span-2 sm:mr-8"
            value={destination.host}
            onValueChange={(host) => set(index, { host })}
          />
          <NumberField
            name={`destinations[${index}].port`}
            label="Port"
            min={1}
            max={MAX_PORT}
            format={{ useGrouping: false }}
            value={destination.port}
            onValueChange={(port) => set(index, { port })}
          />
          <NumberField
            name={`destinations[${index}].priority`}
            label="Priority"
            hint="Lower ones are tried first. The host above has 0."
            min={0}
            max={MAX_PRIORITY}
            format={{ useGrouping: false }}
            value={destination.priority}
            onValueChange={(priority) => set(index, { priority })}
          />
          <NumberField
            name={`destinations[${index}].weight`}
            label="Weight"
            hint="The share of calls among equal priorities. The host above has 1."
            min={1}
            max={MAX_PRIORITY}
            format={{ useGrouping: false }}
            value={destination.weight}
            onValueChange={(weight) => set(index, { weight })}
          />
          <IconButton
            size="sm"
            label={`Remove address ${index + 1}`}
            icon={<X aria-hidden />}
            className="absolute top-2 right-2"
            onClick={() => change({ destinations: destinations.toSpliced(index, 1) })}
          />
        </div>
      ))}
      {destinations.length < MAX_DESTINATIONS && (
        <Button
          size="sm"
          className="self-start"
          icon={<Plus className="size-4" aria-hidden />}
          onClick={() => change({ destinations: [...destinations, newDestination()] })}
        >
          Add an address
        </Button>
      )}
    </>
  );
}
