'use client';

import { Button, ButtonLink, Dialog, Form, Notice, RadioCards, SelectField, TextField } from '@clarion/ui';
import { useRouter } from 'next/navigation.js';
import { useId, useState } from 'react';
import type { Flow, Line } from '../../../../../../lib/dashboard/edit/resources.ts';
import { suggestRef } from '../../../../../../lib/dashboard/edit/suggest-ref.ts';
import { beginningAddress } from '../../../../../../lib/flow-builder/address.ts';
import { triggerOf } from '../../../../../../lib/flow-builder/draft.ts';
import {
  isTemplate,
  templateNames,
  templateWords,
} from '../../../../../../lib/flow-builder/template-names.ts';
import type { TemplateName } from '../../../../../../lib/flow-builder/template-names.ts';
import { triggerWords } from '../../../../../../lib/flow-builder/words.ts';

interface NewFlowProps {
  open: boolean;
  template: TemplateName;
  tenantRef: string;
  lines: readonly Line[] | undefined;
  taken: readonly Flow[];
  onClose(): void;
}

const triggers = Object.entries(triggerWords).map(([value, { label, note }]) => ({ value, label, note }));

/** Asks what a flow cannot be drawn without, and opens the canvas; nothing is stored before it is saved there. */
export function NewFlow(props: NewFlowProps) {
  const { open, onClose } = props;
  const form = useId();
  const hasLine = (props.lines?.length ?? 0) > 0;
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => {
        if (!next) onClose();
      }}
      title="New flow"
      description="You draw it on the next page. Nothing answers calls before you save."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={form} tone="accent" disabled={!hasLine}>
            Draw the flow
          </Button>
        </>
      }
    >
      {props.lines !== undefined && !hasLine ? (
        <Notice
          tone="accent"
          title="A flow needs a line"
          action={
            <ButtonLink href={`/app/t/${encodeURIComponent(props.tenantRef)}/lines`}>Go to lines</ButtonLink>
          }
        >
          Add the number that callers dial first.
        </Notice>
      ) : (
        <Fields {...props} formId={form} />
      )}
    </Dialog>
  );
}

function Fields({ template, tenantRef, lines = [], taken, formId }: NewFlowProps & { formId: string }) {
  const router = useRouter();
  const [errors, setErrors] = useState<Record<string, string>>({});
  const refs = taken.map(({ ref }) => ref);
  const submit = (values: FormData) => {
    const name = text(values, 'name');
    const line = text(values, 'line') || (lines[0]?.ref ?? '');
    if (name === '') return setErrors({ name: 'Give it a name.' });
    setErrors({});
    const chosen = text(values, 'template');
    const beginning = {
      name,
      channelRef: line,
      triggerCondition: triggerOf(text(values, 'when')),
      template: isTemplate(chosen) ? chosen : template,
    };
    router.push(beginningAddress(tenantRef, suggestRef(name, refs) || `flow-${refs.length + 1}`, beginning));
  };
  return (
    <Form id={formId} errors={errors} onSubmit={submit}>
      <TextField name="name" label="Name" placeholder="Welcome" />
      <SelectField
        name="line"
        label="Line"
        hint="Whose callers hear it."
        choices={lines.map(({ ref, displayName, address }) => ({
          value: ref,
          label: displayName ?? ref,
          note: address,
        }))}
        defaultValue={lines[0]?.ref ?? ''}
      />
      <SelectField name="when" label="Takes" choices={triggers} defaultValue="ALWAYS" />
      <RadioCards
        name="template"
        label="Begin with"
        defaultValue={template}
        choices={templateNames.map((value) => ({ value, ...templateWords[value] }))}
      />
    </Form>
  );
}

const text = (values: FormData, name: string): string => {
  const value = values.get(name);
  return typeof value === 'string' ? value.trim() : '';
};
