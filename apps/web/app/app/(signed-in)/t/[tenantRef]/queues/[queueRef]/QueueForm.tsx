'use client';

import { Button, FieldGroup, Form, RadioCards, TextField, useToasts } from '@clarion/ui';
import { useLeaveGuard } from '#lib/dashboard/edit/EditDrawer.tsx';
import type { Queue } from '#lib/dashboard/edit/resources.ts';
import { useDraft } from '#lib/dashboard/edit/use-draft.ts';
import { useSave } from '#lib/dashboard/edit/use-save.ts';
import { useMe } from '#lib/dashboard/me.tsx';
import { useChange } from '#lib/dashboard/queries.ts';
import { strategyChoices } from '../StrategyChoices.tsx';
import type { Strategy } from '../strategies.ts';
import { Members } from './Members.tsx';
import { bodyOf, draftOf } from './queue-draft.ts';
import { RingingFields, WaitingFields } from './QueueFields.tsx';

interface QueueFormProps {
  tenantRef: string;
  queue: Queue;
  queues: readonly Queue[];
}

export function QueueForm({ tenantRef, queue, queues }: QueueFormProps) {
  const me = useMe();
  const toasts = useToasts();
  const { formId, errors, busy, save } = useSave();
  const { draft, change, dirty, saved } = useDraft(true, () => draftOf(queue, queues), queue.updatedAt);
  useLeaveGuard(dirty);
  const put = useChange('PUT', '/v1/tenants/{tenantRef}/queues/{queueRef}', {
    invalidates: ['/v1/tenants/{tenantRef}/queues', '/v1/tenants/{tenantRef}/reports/live'],
  });
  const submit = async () => {
    const stored = await save(() =>
      put.mutateAsync({ path: { tenantRef, queueRef: queue.ref }, body: bodyOf(draft) }),
    );
    if (!stored) return;
    saved();
    toasts.add({ title: 'Saved', description: 'The settings apply to new calls.', tone: 'positive' });
  };
  return (
    <fieldset disabled={!me.may('manage')} className="min-w-0">
      <legend className="sr-only">Queue settings</legend>
      <Form id={formId} errors={errors} busy={busy} onSubmit={submit}>
        <Members
          tenantRef={tenantRef}
          members={draft.members}
          byPriority={draft.strategy === 'PRIORITY'}
          onChange={(members) => change({ members })}
        />
        <FieldGroup title="Ring strategy">
          <RadioCards
            name="strategy"
            label="Strategy"
            columns={3}
            value={draft.strategy}
            choices={strategyChoices}
            onValueChange={(strategy) => change({ strategy: strategy as Strategy })}
          />
          <div className="flex max-w-2xl flex-col gap-5">
            <RingingFields draft={draft} change={change} />
          </div>
        </FieldGroup>
        <WaitingFields tenantRef={tenantRef} queue={queue} queues={queues} draft={draft} change={change} />
        <div className="border-t border-line pt-5">
          <TextField
            name="name"
            label="Name"
            className="max-w-md"
            value={draft.name}
            onValueChange={(name) => change({ name })}
            required
          />
        </div>
        {me.may('manage') && (
          <div className="sticky bottom-0 -mx-4 flex items-center gap-3 border-t border-line bg-canvas px-4 py-3 sm:mx-0 sm:px-0">
            <Button tone="accent" type="submit" busy={busy} disabled={!dirty}>
              Save changes
            </Button>
            <span className="text-md text-muted" role="status">
              {dirty ? 'Unsaved changes' : 'All changes saved'}
            </span>
          </div>
        )}
      </Form>
    </fieldset>
  );
}
