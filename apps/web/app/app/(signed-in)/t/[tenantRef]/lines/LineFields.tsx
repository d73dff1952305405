'use client';

import {
  ComboField,
  FieldGroup,
  NumberField,
  PasswordField,
  RadioCards,
  SelectField,
  SwitchField,
  TextField,
} from '@clarion/ui';
import { NameAndRef } from '../../../../../../lib/dashboard/edit/NameAndRef.tsx';
import { DEFAULT_RING_SECONDS, type LineDraft } from './line-draft.ts';
import type { Surroundings } from './use-surroundings.ts';
import { asE164 } from './what-happens.ts';

interface FieldsProps {
  draft: LineDraft;
  change(changes: Partial<LineDraft>): void;
}
type AroundProps = FieldsProps & { around: Surroundings };

/** The number and whose network it is on. */
export function LineFields({
  draft,
  change,
  around,
  isNew,
  taken,
}: AroundProps & { isNew: boolean; taken: readonly string[] }) {
  const kept = asE164(draft.address);
  return (
    <FieldGroup title="The number">
      {isNew && (
        <RadioCards
          name="type"
          label="Kind"
          columns={2}
          value={draft.type}
          onValueChange={(type) => change({ type: type === 'WHATSAPP' ? 'WHATSAPP' : 'SIP' })}
          choices={[
            { value: 'SIP', label: 'Phone', note: 'A number of a SIP trunk.' },
            { value: 'WHATSAPP', label: 'WhatsApp', note: 'Calls to a WhatsApp business number.' },
          ]}
        />
      )}
      <NameAndRef
        noun="line"
        nameField="display_name"
        refField="channel_ref"
        value={{ name: draft.displayName, ref: draft.ref }}
        onChange={({ name, ref }) =>
          change({ ...(name !== undefined && { displayName: name }), ...(ref !== undefined && { ref }) })
        }
        isNew={isNew}
        taken={taken}
        nameHint="What agents see when it rings, such as Main number."
        optional
      />
      <TextField
        name="address"
        label="Number"
        type="tel"
        hint={
          kept === null || kept === draft.address
            ? 'With the country code, such as +44 20 7183 8750.'
            : `It is kept as ${kept}.`
        }
        value={draft.address}
        onValueChange={(address) => change({ address })}
        required
      />
      {draft.type === 'SIP' ? (
        <SelectField
          name="sip_trunk_id"
          label="Trunk"
          hint={
            around.trunks.length === 0
              ? 'There is no trunk yet. Ask the operator of this service for one.'
              : 'The connection to the carrier that has the number.'
          }
          choices={around.trunks.map(({ id, name, owner, status }) => ({
            value: String(id),
            label: name,
            note: `${owner === 'PLATFORM' ? 'Platform' : 'Your own'}, ${status.toLowerCase()}`,
          }))}
          value={draft.trunkId || null}
          onValueChange={(trunkId) => change({ trunkId })}
        />
      ) : (
        <>
          <TextField
            name="provider_account_id"
            label="WhatsApp phone number id"
            hint="From the WhatsApp manager of Meta. It belongs to one line only."
            mono
            value={draft.providerAccountId}
            onValueChange={(providerAccountId) => change({ providerAccountId })}
            required
          />
          <PasswordField
            name="credentials.access_token"
            label="Access token"
            hint={
              isNew
                ? 'Of a system user of Meta. It is kept encrypted.'
                : 'Empty keeps the one that is stored.'
            }
            value={draft.accessToken}
            onValueChange={(accessToken) => change({ accessToken })}
            autoComplete="off"
          />
        </>
      )}
    </FieldGroup>
  );
}

/** Where a call goes that comes in. A line is shared, personal or for calling out, never two of them. */
export function InboundFields({ draft, change, around }: AroundProps) {
  const personal = draft.inbound === 'owner';
  return (
    <FieldGroup title="When somebody calls">
      <RadioCards
        name="inbound"
        label="The call goes to"
        value={draft.inbound}
        onValueChange={(inbound) => {
          if (inbound === 'queue' || inbound === 'owner' || inbound === 'none') change({ inbound });
        }}
        choices={[
          {
            value: 'queue',
            label: 'A queue',
            note: 'Shared: flows answer first, else it waits in the queue. Any agent may call out from it.',
          },
          {
            value: 'owner',
            label: 'One agent',
            note: 'Personal: rings its owner on every device, with no flow and no queue. Only they call out from it.',
          },
          { value: 'none', label: 'Nobody', note: 'For calling out. A flow may still answer it.' },
        ]}
      />
      {draft.inbound === 'queue' && (
        <SelectField
          name="inbound_queue_ref"
          label="Queue"
          hint={around.queues.length === 0 ? 'There is no queue yet. Create one first.' : undefined}
          choices={around.queues.map(({ ref, name, members }) => ({
            value: ref,
            label: name,
            note: members.length === 1 ? '1 member' : `${members.length} members`,
          }))}
          value={draft.queueRef || null}
          onValueChange={(queueRef) => change({ queueRef })}
        />
      )}
      {personal && (
        <ComboField
          name="owner_agent_ref"
          label="Owner"
          placeholder="Name or ref"
          choices={around.agents.map(({ ref, name }) => ({ value: ref, label: name, note: ref }))}
          value={draft.ownerRef || null}
          onValueChange={(ref) => change({ ownerRef: ref ?? '' })}
        />
      )}
      <NumberField
        name="ring_timeout_seconds"
        label="How long it rings"
        unit="seconds"
        min={5}
        max={60}
        disabled={!personal}
        hint={
          personal
            ? `5 to 60 seconds. Empty: ${DEFAULT_RING_SECONDS}.`
            : 'Only a personal line rings for a time of its own. A queue has its own ring time.'
        }
        value={personal ? draft.ringSeconds : null}
        onValueChange={(ringSeconds) => change({ ringSeconds })}
      />
    </FieldGroup>
  );
}

export function OtherFields({ draft, change }: FieldsProps) {
  return (
    <FieldGroup title="Recording and status">
      <RadioCards
        name="recording_enabled"
        label="Record its calls"
        columns={3}
        value={draft.recording}
        onValueChange={(recording) => {
          if (recording === 'tenant' || recording === 'on' || recording === 'off') change({ recording });
        }}
        choices={[
          { value: 'tenant', label: 'As the tenant' },
          { value: 'on', label: 'Always' },
          { value: 'off', label: 'Never' },
        ]}
      />
      <SwitchField
        name="status"
        label="Active"
        hint="Off: it takes no calls and makes none. Calls that are going on are not cut off."
        checked={draft.active}
        onCheckedChange={(active) => change({ active })}
      />
    </FieldGroup>
  );
}
