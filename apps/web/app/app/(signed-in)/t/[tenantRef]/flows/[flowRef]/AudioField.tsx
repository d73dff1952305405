'use client';

import { ComboField, formatDuration } from '@clarion/ui';
import type { FlowResources } from './use-flow-resources.ts';

interface AudioFieldProps {
  name: string;
  label: string;
  hint?: string;
  error?: string;
  disabled: boolean;
  resources: FlowResources;
  value: unknown;
  onChange(assetId: number | undefined): void;
}

/** Selects one of the tenant's audio assets. */
export function AudioField({ resources, value, onChange, ...common }: AudioFieldProps) {
  return (
    <ComboField
      {...common}
      {...(resources.audioAssets.length === 0 && {
        hint: 'There is no audio yet. Record or upload it on the Audio page.',
      })}
      placeholder="Search audio"
      emptyText="No matching audio. Add it on the Audio page."
      choices={resources.audioAssets.map(({ id, name, durationSeconds }) => ({
        value: String(id),
        label: name,
        note: formatDuration(Math.max(1, Math.round(durationSeconds))),
      }))}
      value={typeof value === 'number' ? String(value) : null}
      onValueChange={(next) => onChange(next === null ? undefined : Number(next))}
    />
  );
}
