'use client';

import { ComboField, NumberField, SelectField, SwitchField, TextField } from '@clarion/ui';
import { useMemo } from 'react';
import { choiceLabel, TARGET_LABELS, fieldText } from '#lib/flow-builder/labels.ts';
import type { FieldEditorProps } from './field-editor-props.ts';
import { RowsEditor } from './RowsEditor.tsx';
import { CheckboxGroup } from './CheckboxGroup.tsx';
import { AudioField } from './AudioField.tsx';
import { TextListField } from './TextListField.tsx';

/** The form control of one field, selected by its shape. */
export function FieldEditor(props: FieldEditorProps) {
  const { id, path, field, value, errors, world, disabled, onChange } = props;
  const { shape, required, fallback, name } = field;
  const words = fieldText(name);
  const error = errors[path];
  const common = {
    name: `${id}-${path}`,
    label: words.label,
    disabled,
    ...(words.hint !== undefined && { hint: words.hint }),
    ...(error !== undefined && { error }),
  };
  switch (shape.kind) {
    case 'sound':
      return (
        <AudioField {...common} world={world} value={value} onChange={(next) => onChange(next, false)} />
      );
    case 'target':
      return (
        <ComboField
          {...common}
          label={TARGET_LABELS[shape.of]}
          placeholder={`Search ${shape.of}s`}
          emptyText={`No matching ${shape.of}`}
          choices={(shape.of === 'agent' ? world.agents : world.queues).map((one) => ({
            value: String(one.id),
            label: one.name,
            note: one.ref,
          }))}
          value={typeof value === 'number' ? String(value) : null}
          onValueChange={(next) => onChange(next === null ? undefined : Number(next), false)}
        />
      );
    case 'choice':
      return (
        <SelectField
          {...common}
          choices={shape.values.map((one) => ({ value: one, label: choiceLabel(name, one) }))}
          value={text(value ?? fallback)}
          onValueChange={(next) => onChange(next, false)}
        />
      );
    case 'number':
      return (
        <NumberField
          {...common}
          {...(words.unit !== undefined && { unit: words.unit })}
          hint={[words.hint, boundsHint(shape)].filter(Boolean).join(' ')}
          value={typeof value === 'number' ? value : typeof fallback === 'number' ? fallback : null}
          onValueChange={(next) => onChange(next ?? undefined, true)}
        />
      );
    case 'time-zone':
      return <ZoneField {...common} value={text(value)} onChange={(next) => onChange(next, false)} />;
    case 'switch':
      return (
        <SwitchField
          label={words.label}
          checked={(value ?? fallback) === true}
          onCheckedChange={(next) => onChange(next, false)}
          disabled={disabled}
        />
      );
    case 'some':
      return (
        <CheckboxGroup
          {...common}
          values={shape.values}
          chosen={list(value)}
          onChange={(next) => onChange(next, false)}
        />
      );
    case 'words':
      return (
        <TextListField
          {...common}
          words={list(value)}
          onChange={(next) => onChange(next.length === 0 && !required ? undefined : next, true)}
        />
      );
    case 'rows':
      return <RowsEditor {...props} fields={shape.fields} most={shape.most} editor={FieldEditor} />;
    case 'text':
      return (
        <TextField
          {...common}
          {...(shape.format === 'date' && { type: 'date' })}
          {...(shape.format === 'time' && { placeholder: '09:00', inputMode: 'numeric' as const })}
          {...(shape.maxLength !== null && { maxLength: shape.maxLength })}
          value={text(value) ?? ''}
          onValueChange={(next) => onChange(next === '' ? undefined : next, true)}
        />
      );
  }
}

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const list = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];

const boundsHint = ({ min, max }: { min: number | null; max: number | null }) =>
  min === null || max === null ? '' : `${min} to ${max}.`;

interface ZoneFieldProps {
  name: string;
  label: string;
  disabled: boolean;
  value: string | null;
  onChange(zone: string | undefined): void;
}

function ZoneField({ value, onChange, ...common }: ZoneFieldProps) {
  const zones = useMemo(
    () =>
      ['UTC', ...Intl.supportedValuesOf('timeZone')].map((zone) => ({
        value: zone,
        label: zone.replaceAll('_', ' '),
      })),
    [],
  );
  return (
    <ComboField
      {...common}
      choices={zones}
      value={value}
      onValueChange={(zone) => onChange(zone ?? undefined)}
    />
  );
}
