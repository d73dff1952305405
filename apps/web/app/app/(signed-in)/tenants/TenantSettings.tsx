'use client';

import { CheckboxField, FieldGroup, NumberField, RadioCards, SwitchField } from '@clarion/ui';
import type { Input } from '#lib/dashboard/request.ts';
import type { Tenant } from '#lib/dashboard/edit/resources.ts';

type Mode = Tenant['settings']['monitoring']['modes'][number];

export interface TenantDraft {
  ref: string;
  name: string;
  teamView: boolean;
  modes: Mode[];
  autoOffline: boolean;
  missedThreshold: number | null;
  recording: 'account' | 'on' | 'off';
  keepDays: number | null;
  /** Empty: none. */
  pricePlanId: string;
}

/** The service's own defaults. */
const DEFAULT_MISSED = 3;
const MISSED_MAX = 100;
const RETENTION_MAX_DAYS = 3650;

export function draftOf(tenant: Tenant | null): TenantDraft {
  const settings = tenant?.settings;
  const recording = settings?.recording.enabled ?? null;
  return {
    ref: tenant?.ref ?? '',
    name: tenant?.name ?? '',
    teamView: settings?.teamView ?? true,
    modes: settings?.monitoring.modes ?? ['LISTEN'],
    autoOffline: settings?.autoOffline.enabled ?? false,
    missedThreshold: settings?.autoOffline.missedThreshold ?? DEFAULT_MISSED,
    recording: recording === null ? 'account' : recording ? 'on' : 'off',
    keepDays: settings?.recording.retentionDays ?? null,
    pricePlanId: String(tenant?.pricePlanId ?? ''),
  };
}

export const settingsBody = (
  draft: TenantDraft,
): NonNullable<Input<'PUT', '/v1/tenants/{tenantRef}'>['body']['settings']> => ({
  team_view: draft.teamView,
  monitoring: { modes: draft.modes },
  auto_offline: { enabled: draft.autoOffline, missed_threshold: draft.missedThreshold ?? DEFAULT_MISSED },
  recording: {
    ...(draft.recording !== 'account' && { enabled: draft.recording === 'on' }),
    ...(draft.keepDays !== null && { retention_days: draft.keepDays }),
  },
});

const modes: { value: Mode; label: string; hint: string }[] = [
  { value: 'LISTEN', label: 'Listen', hint: 'The supervisor hears both sides. No one hears the supervisor.' },
  {
    value: 'WHISPER',
    label: 'Whisper',
    hint: 'The agent also hears the supervisor. The customer does not.',
  },
  { value: 'BARGE', label: 'Barge in', hint: 'The agent and the customer hear the supervisor.' },
];

export function TenantSettings({
  draft,
  change,
}: {
  draft: TenantDraft;
  change(changes: Partial<TenantDraft>): void;
}) {
  return (
    <>
      <FieldGroup title="Agents">
        <SwitchField
          name="settings.team_view"
          label="Show agents their team"
          hint="Agents see colleagues, queues and live calls. When off, agents see only their own calls."
          checked={draft.teamView}
          onCheckedChange={(teamView) => change({ teamView })}
        />
        <SwitchField
          name="settings.auto_offline.enabled"
          label="Set agents offline after missed calls"
          hint="Prevents callers from waiting for agents who forgot to go offline. Agents can set themselves to available again."
          checked={draft.autoOffline}
          onCheckedChange={(autoOffline) => change({ autoOffline })}
        />
        {draft.autoOffline && (
          <NumberField
            name="settings.auto_offline.missed_threshold"
            label="Missed calls in a row"
            hint={`1 to ${MISSED_MAX}. The default is ${DEFAULT_MISSED}.`}
            unit="calls"
            min={1}
            max={MISSED_MAX}
            value={draft.missedThreshold}
            onValueChange={(missedThreshold) => change({ missedThreshold })}
          />
        )}
      </FieldGroup>
      <FieldGroup
        title="Supervisor access to live calls"
        hint="If whispering or barging in is allowed, the audio of all calls is mixed by the service. With listening only, calls of personal lines use the direct path."
      >
        {modes.map(({ value, label, hint }) => (
          <CheckboxField
            key={value}
            name={`settings.monitoring.${value}`}
            label={label}
            hint={hint}
            checked={draft.modes.includes(value)}
            onCheckedChange={(on) =>
              change({
                modes: modes
                  .map((mode) => mode.value)
                  .filter((mode) => (mode === value ? on : draft.modes.includes(mode))),
              })
            }
          />
        ))}
      </FieldGroup>
      <FieldGroup
        title="Recording"
        hint="A line’s own setting overrides the tenant’s, and the tenant’s overrides the account’s."
      >
        <RadioCards
          name="settings.recording.enabled"
          label="Record calls"
          value={draft.recording}
          onValueChange={(recording) => {
            if (recording === 'on' || recording === 'off' || recording === 'account') change({ recording });
          }}
          choices={[
            {
              value: 'account',
              label: 'Use the account’s policy',
              note: 'Uses the recording policy of the account.',
            },
            { value: 'on', label: 'On', note: 'Records all calls, except on lines that turn recording off.' },
            { value: 'off', label: 'Off', note: 'Records no calls, except on lines that turn recording on.' },
          ]}
        />
        <SwitchField
          label="Delete recordings automatically"
          hint="When off, recordings are kept until you delete them."
          checked={draft.keepDays !== null}
          onCheckedChange={(on) => change({ keepDays: on ? DEFAULT_KEEP_DAYS : null })}
        />
        {draft.keepDays !== null && (
          <NumberField
            name="settings.recording.retention_days"
            label="Keep recordings for"
            hint={`1 to ${RETENTION_MAX_DAYS} days. Older recordings are deleted within a day and cannot be restored.`}
            unit="days"
            min={1}
            max={RETENTION_MAX_DAYS}
            value={draft.keepDays}
            onValueChange={(days) => change({ keepDays: days ?? 1 })}
          />
        )}
      </FieldGroup>
    </>
  );
}

/** The initial value of the form. */
const DEFAULT_KEEP_DAYS = 90;
