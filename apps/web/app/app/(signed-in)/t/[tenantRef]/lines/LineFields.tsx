'use client';

import {
  ComboField,
  FieldGroup,
  Notice,
  NumberField,
  PasswordField,
  RadioCards,
  SelectField,
  SwitchField,
  TextField,
  TextLink,
} from '@clarion/ui';
import { NameAndRef } from '#lib/dashboard/edit/NameAndRef.tsx';
import { useMe } from '#lib/dashboard/me.tsx';
import { isOwn, trunkHref } from '#lib/dashboard/trunks/addresses.ts';
import { trunkStatusTexts } from '#lib/dashboard/trunks/trunk-status.ts';
import { DEFAULT_RING_SECONDS, WHATSAPP_RING_MAX_SECONDS, type LineDraft } from './line-draft.ts';
import type { LineResources } from './use-line-resources.ts';
import { toE164 } from './call-path.ts';

interface FieldsProps {
  draft: LineDraft;
  change(changes: Partial<LineDraft>): void;
}
type AroundProps = FieldsProps & { around: LineResources };

/** The number and its carrier. */
export function LineFields({
  draft,
  change,
  around,
  isNew,
  taken,
}: AroundProps & { isNew: boolean; taken: readonly string[] }) {
  const kept = toE164(draft.address);
  return (
    <FieldGroup title={draft.type === 'SIP' ? 'Number and carrier' : 'Number'}>
      {isNew && (
        <RadioCards
          name="type"
          label="Kind"
          columns={2}
          value={draft.type}
          onValueChange={(type) => change({ type: type === 'WHATSAPP' ? 'WHATSAPP' : 'SIP' })}
          choices={[
            { value: 'SIP', label: 'Phone', note: 'A number on a SIP trunk.' },
            { value: 'WHATSAPP', label: 'WhatsApp', note: 'A WhatsApp business number.' },
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
        nameHint="Agents see this name when the line rings, for example Main number."
        optional
      />
      <TextField
        name="address"
        label="Number"
        type="tel"
        hint={
          kept === null || kept === draft.address
            ? 'Include the country code, for example +44 20 7183 8750.'
            : `Saved as ${kept}.`
        }
        value={draft.address}
        onValueChange={(address) => change({ address })}
        required
      />
      {draft.type === 'SIP' ? (
        <TrunkFields draft={draft} change={change} around={around} />
      ) : (
        <>
          <TextField
            name="provider_account_id"
            label="WhatsApp phone number ID"
            hint="In the app’s dashboard at Meta for Developers, under WhatsApp, API setup. It is not the number itself. Each ID can be used by one line only."
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
                ? 'The token of a system user, from the business settings at Meta, with the permissions whatsapp_business_messaging and whatsapp_business_management. It is stored encrypted and never shown again.'
                : 'Leave empty to keep the stored token.'
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

const NO_BACKUP = 'none';

/** The trunk of the number, and another one that places outbound calls when the first one cannot. */
function TrunkFields({ draft, change, around: { trunks } }: AroundProps) {
  const me = useMe();
  if (trunks.length === 0) {
    return (
      <Notice tone="warning" title="There are no trunks yet">
        A phone line needs a trunk: the connection to the carrier that provides its number.{' '}
        {me.may('provision') ? (
          <TextLink href="/app/trunks">Add a trunk</TextLink>
        ) : (
          'Ask an administrator of your account for one.'
        )}
      </Notice>
    );
  }
  const choices = trunks.map(({ id, name, owner, status }) => ({
    value: String(id),
    label: name,
    note: `${owner === 'PLATFORM' ? 'Platform' : 'Your own'}, ${trunkStatusTexts[status].label.toLowerCase()}`,
  }));
  const chosen = trunks.find(({ id }) => String(id) === draft.trunkId);
  const others = choices.filter(({ value }) => value !== draft.trunkId);
  const href = chosen !== undefined && isOwn(chosen) && me.may('provision') ? trunkHref(chosen) : null;
  return (
    <>
      <SelectField
        name="sip_trunk_id"
        label="Trunk"
        hint={
          <>
            The connection to the carrier that provides the number.
            {chosen !== undefined && chosen.status !== 'ACTIVE' && (
              <>
                {' '}
                <span className="font-medium text-warning">
                  This trunk is not active ({trunkStatusTexts[chosen.status].label.toLowerCase()}): the line
                  has calls once it is.
                </span>
              </>
            )}
            {href !== null && (
              <>
                {' '}
                <TextLink href={href}>View the trunk</TextLink>
              </>
            )}
          </>
        }
        choices={choices}
        value={draft.trunkId || null}
        onValueChange={(trunkId) =>
          change({ trunkId, ...(trunkId === draft.backupTrunkId && { backupTrunkId: '' }) })
        }
      />
      {others.length > 0 && (
        <SelectField
          name="backup_sip_trunk_id"
          label="Backup trunk"
          optional
          hint="Places outbound calls that the first trunk cannot, for example because its carrier does not respond. Inbound calls use the first trunk only."
          choices={[{ value: NO_BACKUP, label: 'None' }, ...others]}
          value={draft.backupTrunkId || NO_BACKUP}
          onValueChange={(value) => change({ backupTrunkId: value === NO_BACKUP ? '' : value })}
        />
      )}
      {draft.backupTrunkId !== '' && (
        <SwitchField
          name="least_cost_routing"
          label="Least-cost routing"
          hint="Outbound calls use whichever of the two trunks has the cheaper carrier for the number, and the other one if that fails."
          checked={draft.leastCostRouting}
          onCheckedChange={(leastCostRouting) => change({ leastCostRouting })}
        />
      )}
      <SwitchField
        name="margin_guard"
        label="Margin guard"
        hint="An outbound call is not placed on a trunk whose carrier costs more than the tenant pays for it."
        checked={draft.marginGuard}
        onCheckedChange={(marginGuard) => change({ marginGuard })}
      />
    </>
  );
}

/** Where inbound calls go. A line is shared, personal or outbound only. */
export function InboundFields({ draft, change, around }: AroundProps) {
  const personal = draft.inbound === 'owner';
  const whatsAppLimit =
    draft.type === 'WHATSAPP'
      ? ` A WhatsApp call rings for at most ${WHATSAPP_RING_MAX_SECONDS} seconds, because WhatsApp does not wait longer.`
      : '';
  return (
    <FieldGroup title="Inbound calls">
      <RadioCards
        name="inbound"
        label="Send calls to"
        value={draft.inbound}
        onValueChange={(inbound) => {
          if (inbound === 'queue' || inbound === 'owner' || inbound === 'none') change({ inbound });
        }}
        choices={[
          {
            value: 'queue',
            label: 'A queue',
            note: 'Shared line. Flows answer first, otherwise callers wait in the queue. Any agent can call from it.',
          },
          {
            value: 'owner',
            label: 'One agent',
            note: 'Personal line. Rings its owner on every device, without flows or a queue. Only the owner can call from it.',
          },
          {
            value: 'none',
            label: 'No one',
            note: 'For outbound calls. A flow can still answer inbound calls.',
          },
        ]}
      />
      {draft.inbound === 'queue' && (
        <SelectField
          name="inbound_queue_ref"
          label="Queue"
          hint={around.queues.length === 0 ? 'There are no queues yet. Create one first.' : undefined}
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
        label="Ring time"
        unit="seconds"
        min={5}
        max={60}
        disabled={!personal}
        hint={
          personal
            ? `5 to 60 seconds. The default is ${DEFAULT_RING_SECONDS}.${whatsAppLimit}`
            : 'Applies to personal lines only. Queues have their own ring time.'
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
        label="Record calls"
        columns={3}
        value={draft.recording}
        onValueChange={(recording) => {
          if (recording === 'tenant' || recording === 'on' || recording === 'off') change({ recording });
        }}
        choices={[
          { value: 'tenant', label: 'Use the tenant’s setting' },
          { value: 'on', label: 'Always' },
          { value: 'off', label: 'Never' },
        ]}
      />
      <SwitchField
        name="status"
        label="Active"
        hint="When off, the line neither receives nor places calls. Live calls are not affected."
        checked={draft.active}
        onCheckedChange={(active) => change({ active })}
      />
    </FieldGroup>
  );
}
