'use client';

import { Button, ButtonLink, Dialog, Form, Notice, RadioCards, SelectField } from '@clarion/ui';
import { useRouter } from 'next/navigation.js';
import { useState } from 'react';
import { NameAndRef } from '#lib/dashboard/edit/NameAndRef.tsx';
import { newRef } from '#lib/dashboard/edit/new-ref.ts';
import type { Flow, Line } from '#lib/dashboard/edit/resources.ts';
import { useSave, type Saving } from '#lib/dashboard/edit/use-save.ts';
import { beginningAddress } from '#lib/flow-builder/address.ts';
import { triggerOf } from '#lib/flow-builder/draft.ts';
import { isTemplate, templateNames, templateLabels } from '#lib/flow-builder/template-names.ts';
import type { TemplateName } from '#lib/flow-builder/template-names.ts';
import { triggerLabels } from '#lib/flow-builder/labels.ts';

interface NewFlowProps {
  open: boolean;
  template: TemplateName;
  tenantRef: string;
  lines: readonly Line[] | undefined;
  taken: readonly Flow[];
  onClose(): void;
}

const triggers = Object.entries(triggerLabels).map(([value, { label, note }]) => ({ value, label, note }));

/** Asks for the required settings and opens the canvas. Nothing is stored until the flow is saved there. */
export function NewFlow(props: NewFlowProps) {
  const { open, onClose } = props;
  const saving = useSave();
  const hasLine = (props.lines?.length ?? 0) > 0;
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => {
        if (!next) onClose();
      }}
      title="New flow"
      description="You design the flow on the next page. It answers calls once you save it."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={saving.formId} tone="accent" disabled={!hasLine}>
            Design flow
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
          Add the line that the flow will answer first.
        </Notice>
      ) : (
        <Fields {...props} saving={saving} />
      )}
    </Dialog>
  );
}

function Fields({ template, tenantRef, lines = [], taken, saving }: NewFlowProps & { saving: Saving }) {
  const router = useRouter();
  const [called, setCalled] = useState({ name: '', ref: '' });
  const refs = taken.map(({ ref }) => ref);
  const begin = async (values: FormData) => {
    const flowRef = newRef('flow_ref', called.ref, refs);
    const chosen = text(values, 'template');
    const beginning = {
      name: called.name.trim(),
      channelRef: text(values, 'line') || (lines[0]?.ref ?? ''),
      triggerCondition: triggerOf(text(values, 'when')),
      template: isTemplate(chosen) ? chosen : template,
    };
    router.push(beginningAddress(tenantRef, flowRef, beginning));
  };
  return (
    <Form
      id={saving.formId}
      errors={saving.errors}
      onSubmit={async (values) => {
        await saving.save(() => begin(values));
      }}
    >
      <NameAndRef
        noun="flow"
        refField="flow_ref"
        value={called}
        onChange={(changes) => setCalled((before) => ({ ...before, ...changes }))}
        taken={refs}
      />
      <SelectField
        name="line"
        label="Line"
        hint="The flow answers calls to this line."
        choices={lines.map(({ ref, displayName, address }) => ({
          value: ref,
          label: displayName ?? ref,
          note: address,
        }))}
        defaultValue={lines[0]?.ref ?? ''}
      />
      <SelectField name="when" label="Answers" choices={triggers} defaultValue="ALWAYS" />
      <RadioCards
        name="template"
        label="Start with"
        defaultValue={template}
        choices={templateNames.map((value) => ({ value, ...templateLabels[value] }))}
      />
    </Form>
  );
}

const text = (values: FormData, name: string): string => {
  const value = values.get(name);
  return typeof value === 'string' ? value.trim() : '';
};
