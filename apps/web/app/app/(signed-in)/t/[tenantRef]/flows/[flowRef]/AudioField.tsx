'use client';

import { ComboField, formatDuration } from '@clarion/ui';
import type { FlowResources } from './use-flow-resources.ts';

interface SoundFieldProps {
  name: string;
  label: string;
  hint?: string;
  error?: string;
  disabled: boolean;
  world: FlowResources;
  value: unknown;
  onChange(assetId: number | undefined): void;
}

/** Selects one of the tenant's audio assets. */
export function AudioField({ world, value, onChange, ...common }: SoundFieldProps) {
  return (
    <ComboField
      {...common}
      {...(world.sounds.length === 0 && {
        hint: 'There is no audio yet. Record or upload it on the Audio page.',
      })}
      placeholder="Search audio"
      emptyText="No matching audio. Add it on the Audio page."
      choices={world.sounds.map(({ id, name, durationSeconds }) => ({
        value: String(id),
        label: name,
        note: formatDuration(Math.max(1, Math.round(durationSeconds))),
      }))}
      value={typeof value === 'number' ? String(value) : null}
      onValueChange={(next) => onChange(next === null ? undefined : Number(next))}
    />
  );
}
