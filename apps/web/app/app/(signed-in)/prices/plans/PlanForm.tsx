'use client';

import { Button, FieldGroup, Form, NumberField, TextField, useToasts } from '@clarion/ui';
import { useRouter } from 'next/navigation.js';
import { useState } from 'react';
import { ConfirmAction } from '#lib/dashboard/edit/ConfirmAction.tsx';
import { useLeaveGuard } from '#lib/dashboard/edit/EditDrawer.tsx';
import type { PricePlan } from '#lib/dashboard/edit/resources.ts';
import { useDraft } from '#lib/dashboard/edit/use-draft.ts';
import { useSave } from '#lib/dashboard/edit/use-save.ts';
import { ItemFields } from '#lib/dashboard/prices/ItemFields.tsx';
import { bodyOf, draftOf } from '#lib/dashboard/prices/plan-draft.ts';
import { useChange, useGet } from '#lib/dashboard/queries.ts';

const invalidates = ['/v1/price-plans', '/v1/price-plans/{planId}', '/v1/rate-decks/{deckId}'] as const;
const SAMPLE = { number: '+442079460123', seconds: 90 };
const MAX_SAMPLE_SECONDS = 86_400;

/** Creates a plan, or replaces one. */
export function PlanForm({ plan }: { plan: PricePlan | null }) {
  const router = useRouter();
  const toasts = useToasts();
  const { formId, errors, busy, save } = useSave();
  const { draft, change, dirty, saved } = useDraft(true, () => draftOf(plan), plan?.updatedAt);
  const [sample, setSample] = useState(SAMPLE);
  const [asking, setAsking] = useState(false);
  const decks = useGet('/v1/rate-decks', {}).data?.decks ?? [];
  const create = useChange('POST', '/v1/price-plans', { invalidates });
  const put = useChange('PUT', '/v1/price-plans/{planId}', { invalidates });
  useLeaveGuard(dirty);
  const store = async () => {
    const body = bodyOf(draft);
    if (plan === null) {
      const { plan: created } = await create.mutateAsync({ body });
      saved();
      toasts.add({ title: `${created.name} was created`, tone: 'positive' });
      router.push(`/app/prices/plans/${created.id}`);
      return;
    }
    await put.mutateAsync({ path: { planId: plan.id }, body });
    saved();
    toasts.add({ title: 'Saved', description: 'The prices apply to new calls.', tone: 'positive' });
  };
  const frees = plan !== null && plan.tenants > 0 && draft.items.length === 0;
  return (
    <>
      <Form
        id={formId}
        errors={errors}
        busy={busy}
        onSubmit={async () => {
          if (frees) setAsking(true);
          else await save(store);
        }}
      >
        <div className="flex flex-col gap-4">
          <TextField
            name="name"
            label="Name"
            required
            value={draft.name}
            onValueChange={(name) => change({ name })}
          />
          <TextField
            name="currency"
            label="Currency"
            hint={
              plan !== null && plan.tenants > 0
                ? 'Cannot be changed while tenants are on the plan.'
                : 'Three letters, for example EUR. Amounts are never converted: rate decks must have the same currency.'
            }
            mono
            maxLength={3}
            disabled={plan !== null && plan.tenants > 0}
            value={draft.currency}
            onValueChange={(currency) => change({ currency })}
          />
          <TextField
            name="description"
            label="Description"
            optional
            multiline={2}
            value={draft.description}
            onValueChange={(description) => change({ description })}
          />
        </div>
        <FieldGroup
          title="Prices"
          hint="Of the items that fit a call, the one that names most of direction, channel and trunk applies; of several, the first."
        >
          <ItemFields draft={draft} change={change} decks={decks} sample={sample} />
        </FieldGroup>
        <FieldGroup title="Example" hint="The call for which the items show their price. It is not stored.">
          <div className="grid items-start gap-4 sm:grid-cols-2">
            <TextField
              label="Number called"
              inputMode="tel"
              value={sample.number}
              onValueChange={(number) => setSample({ ...sample, number: number.trim() })}
            />
            <NumberField
              name="sample_seconds"
              label="Duration"
              unit="seconds"
              min={1}
              max={MAX_SAMPLE_SECONDS}
              value={sample.seconds}
              onValueChange={(seconds) => setSample({ ...sample, seconds: seconds ?? SAMPLE.seconds })}
            />
          </div>
        </FieldGroup>
        <div className="sticky bottom-0 -mx-4 flex items-center gap-3 border-t border-line bg-canvas px-4 py-3 sm:mx-0 sm:px-0">
          <Button tone="accent" type="submit" busy={busy} disabled={plan !== null && !dirty}>
            {plan === null ? 'Create price plan' : 'Save changes'}
          </Button>
          {plan !== null && (
            <span className="text-md text-muted" role="status">
              {dirty ? 'Unsaved changes' : 'All changes saved'}
            </span>
          )}
        </div>
      </Form>
      <ConfirmAction
        open={asking}
        onClose={() => setAsking(false)}
        title="Save the plan without prices?"
        confirmLabel="Save without prices"
        tone="negative"
        onConfirm={store}
      >
        {plan?.tenants === 1
          ? 'The tenant on this plan is'
          : `The ${plan?.tenants ?? 0} tenants on this plan are`}{' '}
        then not charged for anything.
      </ConfirmAction>
    </>
  );
}
