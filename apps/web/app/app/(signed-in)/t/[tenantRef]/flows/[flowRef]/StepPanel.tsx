'use client';

import { EmptyState, IconButton, Notice, TextField } from '@clarion/ui';
import { Copy, MousePointerClick, Trash2 } from 'lucide-react';
import { useMemo } from 'react';
import { nodeById } from '#lib/flow-builder/draft.ts';
import type { DraftNode } from '#lib/flow-builder/draft.ts';
import { fieldsOf } from '#lib/flow-builder/fields.ts';
import { factsIn, kindOf } from '#lib/flow-builder/kinds.ts';
import { purposes } from '#lib/flow-builder/labels.ts';
import { FieldEditor } from './FieldEditor.tsx';
import { sentence } from './FlowSettings.tsx';
import { KindIcon } from './KindIcon.tsx';
import type { Builder } from './use-builder.ts';
import type { Commands } from './use-commands.ts';
import { StepExits } from './StepExits.tsx';

/** The `nodeName` of an event is truncated to this. */
const NAME_MAX_CHARS = 191;

/** The selected step: fields generated from its schema, and its exits. */
export function StepPanel({ builder, commands }: { builder: Builder; commands: Commands }) {
  const [only] = builder.selection.size === 1 ? builder.selection : [];
  const node = nodeById(builder.draft, only ?? null);
  if (builder.selection.size > 1) {
    return (
      <>
        <p className="text-md text-muted">
          {builder.selection.size} steps are selected. Drag them together, or use Ctrl+C to copy, Ctrl+V to
          paste and Delete to remove them.
        </p>
        <Actions builder={builder} commands={commands} />
      </>
    );
  }
  if (!node) {
    return (
      <EmptyState icon={<MousePointerClick />} title="No step is selected" className="px-0!">
        {builder.editable
          ? 'Select a step to edit it, or add one from the left. Drag from a step’s exit to the next step to connect them.'
          : 'Select a step to see its settings.'}
      </EmptyState>
    );
  }
  return <OneStep key={node.id} node={node} builder={builder} commands={commands} />;
}

function Actions({ builder, commands }: { builder: Builder; commands: Commands }) {
  if (!builder.editable) return null;
  return (
    <div className="flex gap-1">
      <IconButton label="Duplicate" icon={<Copy />} onClick={commands.duplicate} />
      <IconButton label="Remove" icon={<Trash2 />} onClick={() => commands.remove(builder.selection)} />
    </div>
  );
}

interface OneStepProps {
  node: DraftNode;
  builder: Builder;
  commands: Commands;
}

function OneStep({ node, builder, commands }: OneStepProps) {
  const { id, type, data } = node;
  const fields = useMemo(() => fieldsOf({ type, data }), [type, data]);
  const problems = builder.shownProblems.filter(({ nodeId }) => nodeId === id);
  const errors = Object.fromEntries(
    problems
      .toReversed()
      .flatMap(({ field, message }) => (field === null ? [] : [[field, sentence(message)]])),
  );
  const general = problems.filter(({ field }) => field === null);
  const set = (name: string, value: unknown, isTyped: boolean) => {
    const { [name]: _, ...rest } = data;
    const changed = { ...rest, ...(value !== undefined && { [name]: value }) };
    // The ID of a queue is not valid for an agent: a new target type clears the target.
    const before = factsIn(node).target;
    const after = factsIn({ type, data: changed }).target;
    if (before && after && before.type !== after.type)
      delete (changed as Record<string, unknown>)[after.field];
    commands.setData(id, changed, isTyped ? `${id} ${name}` : undefined);
  };
  return (
    <>
      <div className="flex items-start gap-3">
        <span className="grid size-9 shrink-0 place-items-center rounded-control bg-accent-soft text-accent">
          <KindIcon type={type} className="size-4.5" />
        </span>
        <div className="min-w-0 flex-1">
          <h2 className="text-base font-semibold text-ink">{kindOf(type).title}</h2>
          <p className="text-sm text-muted">{purposes[type] ?? 'Where each call starts'}</p>
        </div>
        {type !== 'ivr_start' && <Actions builder={builder} commands={commands} />}
      </div>
      {general.map((problem) => (
        <Notice key={problem.sentence} tone="negative">
          {sentence(problem.message)}
        </Notice>
      ))}
      {type !== 'ivr_start' && (
        <TextField
          name={`${id}-label`}
          label="Name"
          optional
          hint="Shown on the canvas, in call timelines and in events."
          maxLength={NAME_MAX_CHARS}
          placeholder={kindOf(type).title}
          value={typeof data['label'] === 'string' ? data['label'] : ''}
          onValueChange={(label) => set('label', label === '' ? undefined : label, true)}
          disabled={!builder.editable}
        />
      )}
      {fields.map((field) => (
        <FieldEditor
          key={field.name}
          id={id}
          path={field.name}
          field={field}
          value={data[field.name]}
          errors={errors}
          resources={builder.resources}
          disabled={!builder.editable}
          onChange={(value, isTyped) => set(field.name, value, isTyped)}
        />
      ))}
      <StepExits node={node} builder={builder} commands={commands} />
    </>
  );
}
