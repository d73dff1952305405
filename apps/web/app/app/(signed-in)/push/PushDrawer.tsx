'use client';

import { FileDrop, Notice, PasswordField, SwitchField, TextField, useToasts } from '@clarion/ui';
import { useState } from 'react';
import { EditDrawer } from '#lib/dashboard/edit/EditDrawer.tsx';
import { useDraft } from '#lib/dashboard/edit/use-draft.ts';
import { useLast } from '#lib/dashboard/edit/use-last.ts';
import { useChange } from '#lib/dashboard/queries.ts';
import { RequestProblem, type Input } from '#lib/dashboard/request.ts';
import { providers, type Provider, type PushCredentials } from './providers.tsx';

/** Keys of both kinds are a few kilobytes. */
const KEY_FILE_MAX_BYTES = 64 * 1024;

const emptyDraft = {
  serviceAccount: '',
  keyP8: '',
  keyId: '',
  teamId: '',
  bundleId: '',
  sandbox: false,
  appId: '',
  apiKey: '',
  subject: '',
};
type PushDraft = typeof emptyDraft;

interface PushDrawerProps {
  provider: Provider | null;
  stored: PushCredentials | null;
  onClose(): void;
}

/** Credentials with a secret are always replaced as a whole, because a stored secret is never shown. */
export function PushDrawer({ provider, stored, onClose }: PushDrawerProps) {
  const toasts = useToasts();
  const shown = useLast(provider);
  const { draft, change, dirty } = useDraft<PushDraft>(provider !== null, () =>
    stored?.provider === 'WEBPUSH' ? { ...emptyDraft, subject: stored.subject } : emptyDraft,
  );
  const put = useChange('PUT', '/v1/push-credentials/{provider}', { invalidates: ['/v1/push-credentials'] });
  const words = providers.find((one) => one.provider === shown);
  if (shown === null || words === undefined) return null;
  return (
    <EditDrawer
      open={provider !== null}
      onClose={onClose}
      title={words.name}
      description={words.where}
      dirty={dirty}
      saveLabel="Save credentials"
      onSave={async () => {
        await put.mutateAsync({ path: { provider: shown }, body: bodyOf(shown, draft) });
        toasts.add({ title: 'The credentials were saved', tone: 'positive' });
      }}
    >
      {shown === 'fcm' && <FcmFields draft={draft} change={change} />}
      {shown === 'apns' && <ApnsFields draft={draft} change={change} />}
      {shown === 'onesignal' && (
        <>
          <TextField
            name="app_id"
            label="App ID"
            mono
            value={draft.appId}
            onValueChange={(appId) => change({ appId })}
            required
          />
          <PasswordField
            name="api_key"
            label="REST API key"
            value={draft.apiKey}
            onValueChange={(apiKey) => change({ apiKey })}
            autoComplete="off"
            required
          />
        </>
      )}
      {shown === 'webpush' && (
        <TextField
          name="subject"
          label="Contact"
          placeholder="mailto:ops@example.com"
          hint="Whom the browsers’ push services contact about problems: a mailto: or https: URL."
          value={draft.subject}
          onValueChange={(subject) => change({ subject })}
          required
        />
      )}
      <Notice>
        {shown === 'webpush'
          ? 'The service generates the key and keeps it when you change the contact, so that browsers need not subscribe again.'
          : 'Keys are validated, stored encrypted and never shown again.'}
      </Notice>
    </EditDrawer>
  );
}

interface FieldsProps {
  draft: PushDraft;
  change(changes: Partial<PushDraft>): void;
}

function FcmFields({ draft, change }: FieldsProps) {
  return (
    <>
      <KeyFile
        accept=".json,application/json"
        label="JSON file"
        onText={(serviceAccount) => change({ serviceAccount })}
      />
      <TextField
        name="service_account"
        label="Or paste its contents"
        multiline={8}
        mono
        value={draft.serviceAccount}
        onValueChange={(serviceAccount) => change({ serviceAccount })}
        required
      />
    </>
  );
}

function ApnsFields({ draft, change }: FieldsProps) {
  return (
    <>
      <KeyFile
        accept=".p8,application/pkcs8"
        label=".p8 file"
        // Apple names the file after the key.
        onText={(keyP8, name) =>
          change({ keyP8, keyId: /^AuthKey_(\w{10})\.p8$/.exec(name)?.[1] ?? draft.keyId })
        }
      />
      <TextField
        name="key_p8"
        label="Or paste its contents"
        multiline={6}
        mono
        placeholder="-----BEGIN PRIVATE KEY-----"
        value={draft.keyP8}
        onValueChange={(keyP8) => change({ keyP8 })}
        required
      />
      <TextField
        name="key_id"
        label="Key ID"
        mono
        hint="10 letters and digits. It is part of the file name."
        value={draft.keyId}
        onValueChange={(keyId) => change({ keyId })}
        required
      />
      <TextField
        name="team_id"
        label="Team ID"
        mono
        hint="10 letters and digits, shown at the top right of the Apple Developer site."
        value={draft.teamId}
        onValueChange={(teamId) => change({ teamId })}
        required
      />
      <TextField
        name="bundle_id"
        label="Bundle ID"
        mono
        placeholder="com.example.helpdesk"
        value={draft.bundleId}
        onValueChange={(bundleId) => change({ bundleId })}
        required
      />
      <SwitchField
        name="sandbox"
        label="Development builds"
        hint="When on, notifications go to Apple’s sandbox, for builds that do not come from the App Store or TestFlight."
        checked={draft.sandbox}
        onCheckedChange={(sandbox) => change({ sandbox })}
      />
    </>
  );
}

interface KeyFileProps {
  accept: string;
  label: string;
  onText(text: string, fileName: string): void;
}

function KeyFile({ accept, label, onText }: KeyFileProps) {
  const [unreadable, setUnreadable] = useState(false);
  return (
    <FileDrop
      accept={accept}
      maxBytes={KEY_FILE_MAX_BYTES}
      label={label}
      {...(unreadable && { error: 'The file could not be read. Choose it again.' })}
      onFile={(file) => {
        setUnreadable(false);
        file.text().then(
          (text) => onText(text, file.name),
          () => setUnreadable(true),
        );
      }}
    />
  );
}

type PushBody = Input<'PUT', '/v1/push-credentials/{provider}'>['body'];
type ServiceAccount = Extract<PushBody, { service_account: unknown }>['service_account'];

function bodyOf(provider: Provider, draft: PushDraft): PushBody {
  switch (provider) {
    case 'fcm':
      return { service_account: parsed(draft.serviceAccount) };
    case 'apns':
      return {
        key_p8: draft.keyP8,
        key_id: draft.keyId.trim(),
        team_id: draft.teamId.trim(),
        bundle_id: draft.bundleId.trim(),
        sandbox: draft.sandbox,
      };
    case 'onesignal':
      return { app_id: draft.appId, api_key: draft.apiKey };
    case 'webpush':
      return { subject: draft.subject.trim() };
  }
}

/** The service reports which part is invalid. */
function parsed(text: string): ServiceAccount {
  try {
    return JSON.parse(text) as ServiceAccount;
  } catch {
    throw new RequestProblem('This is not a Google service account key. Paste the whole JSON file.', {
      status: 400,
      code: 'invalid_request',
      details: { field: 'service_account' },
    });
  }
}
