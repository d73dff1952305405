'use client';

import { CheckboxField, FieldGroup, NumberField, RadioCards, SwitchField } from '@clarion/ui';
import type { Input } from '../../../../lib/dashboard/request.ts';
import type { Tenant } from '../../../../lib/dashboard/edit/resources.ts';

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
  { value: 'LISTEN', label: 'Listen', hint: 'Hears both sides; nobody hears the supervisor.' },
  {
    value: 'WHISPER',
    label: 'Whisper',
    hint: 'The agent hears the supervisor as well, the customer does not.',
  },
  { value: 'BARGE', label: 'Barge in', hint: 'Everybody hears everybody.' },
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
          label="Agents see their team"
          hint="Colleagues, queues and their live calls. Off: an agent sees only their own calls."
          checked={draft.teamView}
          onCheckedChange={(teamView) => change({ teamView })}
        />
        <SwitchField
          name="settings.auto_offline.enabled"
          label="Take agents offline who miss calls"
          hint="Somebody who forgot to sign off no longer keeps callers waiting. They go back online themselves."
          checked={draft.autoOffline}
          onCheckedChange={(autoOffline) => change({ autoOffline })}
        />
        {draft.autoOffline && (
          <NumberField
            name="settings.auto_offline.missed_threshold"
            label="After how many missed calls in a row"
            hint={`1 to ${MISSED_MAX}. ${DEFAULT_MISSED} unless you say otherwise.`}
            unit="calls"
            min={1}
            max={MISSED_MAX}
            value={draft.missedThreshold}
            onValueChange={(missedThreshold) => change({ missedThreshold })}
          />
        )}
      </FieldGroup>
      <FieldGroup
        title="Supervisors may"
        hint="Whispering or barging in takes every call of the tenant through the service; listening alone lets calls of personal lines run directly."
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
        hint="A line of its own mind goes before the tenant, the tenant before the account."
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
              label: 'As the account',
              note: 'Follows the recording policy of the account.',
            },
            { value: 'on', label: 'On', note: 'Every call, except on lines that say no.' },
            { value: 'off', label: 'Off', note: 'No call, except on lines that say yes.' },
          ]}
        />
        <SwitchField
          label="Delete recordings after a time"
          hint="Off: they are kept until you delete them."
          checked={draft.keepDays !== null}
          onCheckedChange={(on) => change({ keepDays: on ? DEFAULT_KEEP_DAYS : null })}
        />
        {draft.keepDays !== null && (
          <NumberField
            name="settings.recording.retention_days"
            label="Keep them for"
            hint={`1 to ${RETENTION_MAX_DAYS} days. Older ones are deleted within a day and cannot be brought back.`}
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

/** What a form begins with; a common choice. */
const DEFAULT_KEEP_DAYS = 90;
