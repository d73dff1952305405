'use client';

import { Button, CheckboxField, FieldGroup, Form, RadioCards, TextField, useToasts } from '@clarion/ui';
import { useState } from 'react';
import { useLeaveGuard } from '#lib/dashboard/edit/EditDrawer.tsx';
import { SecretOnce, type Issued } from '#lib/dashboard/edit/SecretOnce.tsx';
import { useDraft } from '#lib/dashboard/edit/use-draft.ts';
import { useSave } from '#lib/dashboard/edit/use-save.ts';
import { useChange } from '#lib/dashboard/queries.ts';
import type { Answer } from '#lib/dashboard/request.ts';
import { eventTypeList, eventTypeDescriptions, type EventType } from './event-types.ts';

export type Webhook = Answer<'GET', '/v1/webhook'>['webhook'];

const choosable = eventTypeList.filter((type) => eventTypeDescriptions[type] !== null);

export function WebhookSettings({ webhook }: { webhook: Webhook }) {
  const toasts = useToasts();
  const { formId, errors, busy, save } = useSave();
  const [issued, setIssued] = useState<Issued | null>(null);
  const { draft, change, dirty, saved } = useDraft(
    true,
    () => ({
      url: webhook.url ?? '',
      lookupUrl: webhook.lookupUrl ?? '',
      every: webhook.eventTypes === null,
      types: webhook.eventTypes ?? choosable,
    }),
    JSON.stringify(webhook),
  );
  useLeaveGuard(dirty);
  const put = useChange('PUT', '/v1/webhook', { invalidates: ['/v1/webhook'] });
  const submit = async () => {
    const stored = await save(async () => {
      const { secret } = await put.mutateAsync({
        body: {
          url: draft.url.trim() || null,
          lookup_url: draft.lookupUrl.trim() || null,
          event_types: draft.every ? null : draft.types,
        },
      });
      if (secret !== undefined) setIssued(firstSecret(secret));
    });
    if (!stored) return;
    saved();
    toasts.add({ title: 'Saved', tone: 'positive' });
  };
  const toggle = (type: EventType, on: boolean) =>
    change({ types: choosable.filter((one) => (one === type ? on : draft.types.includes(one))) });
  return (
    <>
      <Form id={formId} errors={errors} busy={busy} onSubmit={submit} className="max-w-2xl">
        <TextField
          name="url"
          label="URL"
          type="url"
          inputMode="url"
          mono
          placeholder="https://api.example.com/clarion"
          hint="An HTTPS URL. It must respond with 2xx within 10 seconds, otherwise the event is retried 11 times over about 6 hours. Leave empty to send nothing."
          value={draft.url}
          onValueChange={(url) => change({ url })}
        />
        <RadioCards
          name="event_types"
          label="Events to send"
          columns={2}
          value={draft.every ? 'every' : 'some'}
          onValueChange={(value) => change({ every: value === 'every' })}
          choices={[
            { value: 'every', label: 'All events', note: 'Includes event types that are added later.' },
            { value: 'some', label: 'Selected events', note: 'Other events are stored but not sent.' },
          ]}
        />
        {!draft.every && (
          <div className="grid gap-x-6 gap-y-3 sm:grid-cols-2">
            {choosable.map((type) => (
              <CheckboxField
                key={type}
                label={<code className="font-mono text-sm">{type}</code>}
                hint={eventTypeDescriptions[type]}
                checked={draft.types.includes(type)}
                onCheckedChange={(on) => toggle(type, on)}
              />
            ))}
          </div>
        )}
        <FieldGroup
          title="Caller lookup"
          hint="Called for each inbound call before it rings, with a limit of 1.5 seconds. It can return a name and your own ID for the caller, or reject the call."
        >
          <TextField
            name="lookup_url"
            label="Lookup URL"
            optional
            type="url"
            inputMode="url"
            mono
            placeholder="https://api.example.com/clarion/lookup"
            value={draft.lookupUrl}
            onValueChange={(lookupUrl) => change({ lookupUrl })}
          />
        </FieldGroup>
        <div>
          <Button tone="accent" type="submit" busy={busy} disabled={!dirty}>
            Save settings
          </Button>
        </div>
      </Form>
      <SecretOnce issued={issued} onClose={() => setIssued(null)} />
    </>
  );
}

export const firstSecret = (secret: string): Issued => ({
  what: 'Webhook secret',
  secret,
  hint: 'Your backend verifies each request with this secret.',
});
