'use client';

import { Button, CheckboxField, FieldGroup, Form, FormActions, Steps, useToasts } from '@clarion/ui';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from 'next/navigation.js';
import { useEffect, useRef, useState } from 'react';
import { useLeaveGuard } from '#lib/dashboard/edit/EditDrawer.tsx';
import { problemMessage } from '#lib/dashboard/edit/error-messages.ts';
import type { SelfService } from '#lib/dashboard/edit/resources.ts';
import { useDraft } from '#lib/dashboard/edit/use-draft.ts';
import { invalidate, useChange } from '#lib/dashboard/queries.ts';
import { RequestProblem } from '#lib/dashboard/request.ts';
import { AdvancedFields } from '#lib/dashboard/trunks/AdvancedFields.tsx';
import { splitSources } from '#lib/dashboard/trunks/source-list.ts';
import {
  createBodyOf,
  emptyDraft,
  type CarrierTemplate,
  type TrunkDraft,
} from '#lib/dashboard/trunks/trunk-draft.ts';
import { trunkErrors } from '#lib/dashboard/trunks/trunk-errors.ts';
import {
  AuthenticationFields,
  ConnectionFields,
  NumberFormFields,
  SourceFields,
} from '#lib/dashboard/trunks/TrunkFields.tsx';
import { CarrierStep } from './CarrierStep.tsx';
import { CARRIER, CONNECTION, INBOUND, REVIEW, stepOf, stepTitles } from './new-trunk-steps.ts';
import { Review } from './Review.tsx';

interface NewTrunkFormProps {
  selfService: SelfService;
  templates: readonly CarrierTemplate[];
  /** Names of existing trunks. */
  taken: readonly string[];
}

export function NewTrunkForm({ selfService, templates, taken }: NewTrunkFormProps) {
  const router = useRouter();
  const toasts = useToasts();
  const client = useQueryClient();
  const [step, setStep] = useState<number>(CARRIER);
  const [errors, setErrors] = useState<Record<string, string>>({});
  const [busy, setBusy] = useState(false);
  const [created, setCreated] = useState(false);
  const [submits, setSubmits] = useState(true);
  const { draft, change, dirty } = useDraft<TrunkDraft>(true, () => emptyDraft);
  useLeaveGuard(dirty && !created);
  const create = useChange('POST', '/v1/sip-trunks');
  const submit = useChange('POST', '/v1/sip-trunks/{trunkId}/submit');
  const template = templates.find(({ id }) => id === draft.templateId) ?? null;
  const hasSources = splitSources(draft.sources).length > 0 || (template !== null && draft.followTemplate);

  const heading = useFocusOnStep(step, errors);
  const goTo = (next: number) => {
    setErrors({});
    setStep(next);
  };
  const fail = (problem: unknown) => {
    const field = problem instanceof RequestProblem ? problem.details?.field : undefined;
    setErrors(trunkErrors(problem, splitSources(draft.sources)));
    const at = field === undefined ? undefined : stepOf(field);
    if (at !== undefined) setStep(at);
  };
  const save = async () => {
    setBusy(true);
    try {
      const { trunk } = await create.mutateAsync({ body: createBodyOf(draft) });
      setCreated(true);
      if (submits && hasSources) await submitNew(trunk.id);
      else toasts.add({ title: 'The trunk was created', tone: 'positive' });
      router.push(`/app/trunks/${trunk.id}`);
      void invalidate(client, ['/v1/sip-trunks']);
    } catch (problem) {
      fail(problem);
      setBusy(false);
    }
  };
  /** The trunk exists: if it cannot be submitted, its page says what to do. */
  const submitNew = async (trunkId: number) => {
    try {
      await submit.mutateAsync({ path: { trunkId } });
      toasts.add({
        title: selfService === 'AUTO' ? 'The trunk is active' : 'The trunk was submitted for approval',
        tone: 'positive',
      });
    } catch (problem) {
      if (!(problem instanceof RequestProblem)) throw problem;
      toasts.add({
        title: 'The trunk was created, but not submitted',
        description: problemMessage(problem),
        tone: 'negative',
      });
    }
  };
  const next = () => {
    const missing = missingIn(step, draft, taken);
    if (missing !== null) return setErrors(missing);
    goTo(step + 1);
  };
  const last = step === REVIEW;
  return (
    <>
      <Steps label="Add a trunk" steps={stepTitles} current={step} onStep={goTo} />
      <Form errors={errors} busy={busy} onSubmit={last ? save : next}>
        <h2 ref={heading} tabIndex={-1} className="text-base font-semibold text-ink outline-hidden">
          {headings[step]}
        </h2>
        {step === CARRIER && <CarrierStep draft={draft} change={change} templates={templates} />}
        {step === CONNECTION && (
          <>
            <ConnectionFields draft={draft} change={change} />
            <AuthenticationFields draft={draft} change={change} />
          </>
        )}
        {step === INBOUND && (
          <>
            <SourceFields draft={draft} change={change} template={template} />
            <FieldGroup
              title="How the carrier writes numbers"
              hint="Most carriers write them with the country code: then leave both empty."
            >
              <NumberFormFields draft={draft} change={change} />
            </FieldGroup>
          </>
        )}
        {last && (
          <>
            <Review draft={draft} template={template} onStep={goTo} />
            <AdvancedFields draft={draft} change={change} wanted={Object.keys(errors)} />
            {hasSources && (
              <CheckboxField
                label={selfService === 'AUTO' ? 'Activate it now' : 'Submit it for approval now'}
                hint={
                  selfService === 'AUTO'
                    ? 'Otherwise it stays a draft without calls.'
                    : 'The operator of this service approves it before it has calls. Otherwise it stays a draft.'
                }
                checked={submits}
                onCheckedChange={setSubmits}
              />
            )}
          </>
        )}
        <FormActions>
          <Button tone="accent" type="submit" busy={busy}>
            {last ? 'Create trunk' : 'Continue'}
          </Button>
          {step > CARRIER && (
            <Button onClick={() => goTo(step - 1)} disabled={busy}>
              Back
            </Button>
          )}
        </FormActions>
      </Form>
    </>
  );
}

const headings = [
  'Which carrier is it?',
  'How does this service reach the carrier?',
  'From where does the carrier send calls?',
  'Is everything right?',
];

/** Moves the focus with the step: to the field that was rejected, or to the heading, so that screen readers read on from there. */
function useFocusOnStep(step: number, errors: Record<string, string>) {
  const heading = useRef<HTMLHeadingElement>(null);
  const [shown, setShown] = useState(step);
  useEffect(() => {
    if (step === shown) return;
    setShown(step);
    const [field] = Object.keys(errors);
    const rejected = document.querySelector<HTMLElement>(`form [name="${CSS.escape(field ?? '')}"]`);
    (rejected ?? heading.current)?.focus();
  }, [step, shown, errors]);
  return heading;
}

/** What the API would reject anyway, told before the last step. */
function missingIn(
  step: number,
  { name, host, authentication, username, nationalPrefix, countryCode }: TrunkDraft,
  taken: readonly string[],
): Record<string, string> | null {
  if (step === CARRIER && name.trim() === '') return { name: 'Enter a name.' };
  if (step === CARRIER && taken.includes(name.trim())) return { name: 'You have a trunk with this name.' };
  if (step === CONNECTION && host.trim() === '') return { host: 'Enter the host of the carrier.' };
  if (step === CONNECTION && authentication !== 'address' && username.trim() === '')
    return { username: 'Enter the username that the carrier gave you.' };
  if (step === INBOUND && nationalPrefix.trim() !== '' && countryCode.trim() === '')
    return { country_code: 'Enter the country code that belongs to the national prefix.' };
  return null;
}
