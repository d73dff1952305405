'use client';

import { RadioCards, TextField } from '@clarion/ui';
import { suggestRef } from '#lib/dashboard/edit/suggest-ref.ts';
import { withTemplate, type CarrierTemplate } from '#lib/dashboard/trunks/trunk-draft.ts';
import type { TrunkFieldsProps } from '#lib/dashboard/trunks/TrunkFields.tsx';

const OTHER = 'other';

interface CarrierStepProps extends TrunkFieldsProps {
  templates: readonly CarrierTemplate[];
}

/** The carrier, whose known settings are then filled in, and the name of the trunk. */
export function CarrierStep({ draft, change, templates }: CarrierStepProps) {
  const named = templates.find(({ id }) => id === draft.templateId)?.name ?? '';
  const choose = (value: string) => {
    const template = templates.find(({ id }) => String(id) === value) ?? null;
    // The suggested name follows the carrier until somebody types another one.
    const suggested = draft.name === '' || draft.name === suggestRef(named, []);
    change({
      ...withTemplate(draft, template),
      ...(suggested && { name: template === null ? '' : suggestRef(template.name, []) }),
    });
  };
  return (
    <>
      {templates.length > 0 && (
        <RadioCards
          name="template_id"
          label="Carrier"
          hint="Settings of a known carrier are filled in. You can change them in the next steps."
          columns={2}
          choices={[
            ...templates.map(({ id, name, host, notes }) => ({
              value: String(id),
              label: name,
              note: notes ?? host,
            })),
            { value: OTHER, label: 'Another carrier', note: 'Enter its settings yourself.' },
          ]}
          value={draft.templateId === null ? OTHER : String(draft.templateId)}
          onValueChange={choose}
        />
      )}
      <TextField
        name="name"
        label="Name"
        mono
        placeholder="carrier-uk"
        hint="At most 64 letters, digits, dots, hyphens and underscores. Your backend and the audit log show it. It cannot be changed later."
        value={draft.name}
        onValueChange={(name) => change({ name })}
        autoComplete="off"
      />
    </>
  );
}
