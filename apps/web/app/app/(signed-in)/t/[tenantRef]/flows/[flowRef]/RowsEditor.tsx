'use client';

import { Button, classNames, FieldGroup, IconButton } from '@clarion/ui';
import { Plus, X } from 'lucide-react';
import type { ComponentType } from 'react';
import { labelFromName, fieldText } from '#lib/flow-builder/labels.ts';
import type { FieldSpec } from '#lib/flow-builder/fields.ts';
import type { FieldEditorProps } from './field-editor-props.ts';

type Row = Record<string, unknown>;

/** A list of rows with fields, for example opening hours and exceptions. */
export function RowsEditor({
  fields,
  most,
  editor: Editor,
  ...props
}: FieldEditorProps & {
  fields: readonly FieldSpec[];
  most: number | null;
  /** For the fields of each row. */
  editor: ComponentType<FieldEditorProps>;
}) {
  const { path, field, value, errors, disabled, onChange } = props;
  const rows = Array.isArray(value) ? value.filter(isRow) : [];
  const words = fieldText(field.name);
  const replace = (index: number, row: Row, isTyped: boolean) =>
    onChange(
      rows.map((each, at) => (at === index ? row : each)),
      isTyped,
    );
  const error = errors[path];
  return (
    <FieldGroup title={words.label} {...(words.hint !== undefined && { hint: words.hint })}>
      {error !== undefined && <p className="text-sm font-medium text-negative-text">{error}</p>}
      {rows.map((row, index) => (
        <div
          key={index}
          role="group"
          aria-label={`${words.label} ${index + 1}`}
          className="relative flex flex-col gap-3 rounded-control border border-line p-3"
        >
          <div className="grid grid-cols-2 gap-3">
            {fields.map((each) => (
              <div key={each.name} className={classNames('min-w-0', isWide(each) && 'col-span-2')}>
                <Editor
                  {...props}
                  path={`${path}[${index}].${each.name}`}
                  field={each}
                  value={row[each.name]}
                  onChange={(next, isTyped) => {
                    const { [each.name]: _, ...rest } = row;
                    replace(index, next === undefined ? rest : { ...rest, [each.name]: next }, isTyped);
                  }}
                />
              </div>
            ))}
          </div>
          {!disabled && (
            <IconButton
              size="sm"
              label={`Remove ${words.label.toLowerCase()} ${index + 1}`}
              icon={<X />}
              className="absolute top-1 right-1"
              onClick={() => onChange(rows.toSpliced(index, 1), false)}
            />
          )}
        </div>
      ))}
      {!disabled && (most === null || rows.length < most) && (
        <Button
          size="sm"
          className="self-start"
          icon={<Plus className="size-4" aria-hidden />}
          onClick={() => onChange([...rows, newRow(fields, rows.at(-1))], false)}
        >
          Add {labelFromName(field.name).toLowerCase()}
        </Button>
      )}
    </FieldGroup>
  );
}

const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null;

const isWide = ({ shape }: FieldSpec): boolean =>
  shape.kind === 'some' || shape.kind === 'rows' || (shape.kind === 'text' && shape.format === 'date');

/** A copy of the last row, without the values that must be unique. */
function newRow(fields: readonly FieldSpec[], last: Row | undefined): Row {
  const copied = last ?? { days: ['MONDAY'], from: '09:00', to: '17:00' };
  return Object.fromEntries(
    fields.flatMap(({ name, shape, fallback }) => {
      if (shape.kind === 'text' && shape.format === 'date') return [[name, today()]];
      if (shape.kind === 'rows') return fallback === undefined ? [] : [[name, fallback]];
      return copied[name] === undefined ? [] : [[name, copied[name]]];
    }),
  );
}

const today = () => new Date().toISOString().slice(0, 10);
