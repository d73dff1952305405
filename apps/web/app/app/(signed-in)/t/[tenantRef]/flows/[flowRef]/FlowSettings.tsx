'use client';

import { SelectField, SwitchField, TextField } from '@clarion/ui';
import { triggerOf } from '#lib/flow-builder/draft.ts';
import { triggerLabels } from '#lib/flow-builder/labels.ts';
import type { Builder } from './use-builder.ts';

const triggers = Object.entries(triggerLabels).map(([value, { label, note }]) => ({ value, label, note }));

/** Name, line, trigger and status of the flow. */
export function FlowSettings({ builder }: { builder: Builder }) {
  const { draft, editable, change, shownProblems, resources } = builder;
  const problemOf = (field: string) => {
    const found = shownProblems.find((problem) => problem.nodeId === null && problem.field === field);
    return found ? { error: sentence(found.message) } : {};
  };
  const line = resources.lines.find(({ ref }) => ref === draft.channelRef);
  return (
    <>
      <TextField
        name="flow-name"
        label="Name"
        value={draft.name}
        onValueChange={(name) => change((before) => ({ ...before, name }), 'flow name')}
        disabled={!editable}
        {...problemOf('name')}
      />
      <SelectField
        name="flow-line"
        label="Line"
        hint="The flow answers calls to this line. Other calls wait in the line’s queue."
        choices={resources.lines.map(({ ref, displayName, address }) => ({
          value: ref,
          label: displayName ?? ref,
          note: address,
        }))}
        value={draft.channelRef}
        onValueChange={(channelRef) => change((before) => ({ ...before, channelRef }))}
        disabled={!editable}
        {...problemOf('channel_ref')}
      />
      {line?.ownerAgentId !== null && line !== undefined && (
        <p className="text-sm text-warning">
          This is a personal line. It always rings its owner and ignores flows.
        </p>
      )}
      <SelectField
        name="flow-trigger"
        label="Answers"
        hint={triggerLabels[draft.triggerCondition].note}
        choices={triggers}
        value={draft.triggerCondition}
        onValueChange={(value) => change((before) => ({ ...before, triggerCondition: triggerOf(value) }))}
        disabled={!editable}
        {...problemOf('trigger_condition')}
      />
      <SwitchField
        label="Active"
        hint="When off, new calls go to the line’s other flows or its queue."
        checked={draft.status === 'ACTIVE'}
        onCheckedChange={(on) => change((before) => ({ ...before, status: on ? 'ACTIVE' : 'DISABLED' }))}
        disabled={!editable}
      />
    </>
  );
}

/** "is required" → "Required.", "must be at most 60" → "Must be at most 60." */
export const sentence = (words: string): string =>
  words === 'is required'
    ? 'Required.'
    : `${words.charAt(0).toUpperCase()}${words.slice(1)}${/[.!?]$/.test(words) ? '' : '.'}`;
