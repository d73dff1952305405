'use client';

import { Button, IconButton, SelectField, TextField } from '@clarion/ui';
import { Plus, X } from 'lucide-react';
import type { TrunkFieldsProps } from './TrunkFields.tsx';

const MAX_INBOUND_PREFIXES = 20;

const purposes = [
  { value: 'PROCESS', label: 'To the line', note: 'The line with the number that follows.' },
  { value: 'FORWARD', label: 'Forward', note: 'A forwarding rule of the operator.' },
  { value: 'FILTER', label: 'Filter', note: 'A call filter of the operator.' },
];

/** Digits before the number, by which carrier and account mark calls. */
export function TechPrefixFields({ draft, change }: TrunkFieldsProps) {
  const { inboundPrefixes } = draft;
  const set = (index: number, changes: Partial<(typeof inboundPrefixes)[number]>) =>
    change({
      inboundPrefixes: inboundPrefixes.map((each, at) => (at === index ? { ...each, ...changes } : each)),
    });
  return (
    <>
      {inboundPrefixes.map(({ prefix, purpose }, index) => (
        <div
          key={index}
          role="group"
          aria-label={`Inbound prefix ${index + 1}`}
          className="grid grid-cols-[1fr_1fr_auto] items-end gap-3"
        >
          <TextField
            // The API reports a bad one for the whole list.
            name="tech_prefixes.inbound"
            label="Inbound prefix"
            mono
            value={prefix}
            onValueChange={(next) => set(index, { prefix: next })}
          />
          <SelectField
            label="Calls with it go to"
            choices={purposes}
            value={purpose}
            onValueChange={(next) => set(index, { purpose: next as typeof purpose })}
          />
          <IconButton
            label={`Remove inbound prefix ${index + 1}`}
            icon={<X aria-hidden />}
            onClick={() => change({ inboundPrefixes: inboundPrefixes.toSpliced(index, 1) })}
          />
        </div>
      ))}
      {inboundPrefixes.length < MAX_INBOUND_PREFIXES && (
        <Button
          size="sm"
          className="self-start"
          icon={<Plus className="size-4" aria-hidden />}
          onClick={() =>
            change({ inboundPrefixes: [...inboundPrefixes, { prefix: '', purpose: 'PROCESS' }] })
          }
        >
          Add an inbound prefix
        </Button>
      )}
      <div className="grid items-start gap-5 sm:grid-cols-2">
        <TextField
          name="tech_prefixes.outbound"
          label="Outbound prefix"
          optional
          mono
          hint="Put in front of every dialled number."
          value={draft.outboundPrefix}
          onValueChange={(outboundPrefix) => change({ outboundPrefix })}
        />
        <TextField
          name="tech_prefixes.redirect"
          label="Redirect prefix"
          optional
          mono
          hint="Put in front of the number when a call filter sends a call back."
          value={draft.redirectPrefix}
          onValueChange={(redirectPrefix) => change({ redirectPrefix })}
        />
      </div>
    </>
  );
}
