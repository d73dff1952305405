'use client';

import { Button, ButtonLink, Notice, RelativeTime, useToasts } from '@clarion/ui';
import type { ReactNode } from 'react';
import { problemMessage } from '#lib/dashboard/edit/error-messages.ts';
import type { OwnTrunk, SelfService } from '#lib/dashboard/edit/resources.ts';
import { useChange } from '#lib/dashboard/queries.ts';
import { newLineHref } from '#lib/dashboard/trunks/addresses.ts';
import { nextStep, trunkStatusTexts } from '#lib/dashboard/trunks/trunk-status.ts';
import type { PhoneNumber } from '#lib/dashboard/trunks/use-lines-of-trunks.ts';
import { useShowTrunk } from '#lib/dashboard/trunks/use-show-trunk.ts';
import { useTenant } from '#lib/dashboard/use-tenant.ts';

interface TrunkStateProps {
  trunk: OwnTrunk;
  selfService: SelfService;
  lines: readonly PhoneNumber[] | undefined;
  onField(field: string): void;
}

/** What the owner of the trunk does next. */
export function TrunkState({ trunk, selfService, lines, onField }: TrunkStateProps) {
  const { ref: tenantRef } = useTenant();
  const step = nextStep(trunk, selfService, lines?.length);
  switch (step.kind) {
    case 'add-sources':
      return (
        <Notice
          tone="accent"
          title="Next: add the source addresses"
          action={<Button onClick={() => onField('inbound_source_cidrs')}>Add addresses</Button>}
        >
          A trunk can be submitted when it has at least one address from which the carrier sends calls.
        </Notice>
      );
    case 'submit':
      return <Submit trunk={trunk} selfService={selfService} rejected={step.rejected} />;
    case 'wait':
      return (
        <Notice tone="warning" title="Waiting for the operator">
          {step.since !== null && (
            <>
              Submitted <RelativeTime at={step.since} />.{' '}
            </>
          )}
          The trunk has calls as soon as the operator approves it. You can prepare its lines meanwhile, and
          still change its settings.
        </Notice>
      );
    case 'enable':
      return (
        <Notice title="The trunk is disabled">
          Calls to its lines are rejected, and its lines place no calls. Enable it to use it again.
        </Notice>
      );
    case 'contact-operator':
      return trunk.status === 'SUSPENDED' ? (
        <Notice tone="negative" title="Suspended by the operator">
          {trunk.reviewNote ?? 'It has no calls and cannot be changed or deleted.'} Contact the operator of
          this service.
        </Notice>
      ) : (
        <Notice title="Only the operator changes trunks of this account">
          Contact them to have this trunk activated or changed.
        </Notice>
      );
    case 'create-line':
      return (
        <Notice
          tone="accent"
          title="Next: create a line"
          {...(tenantRef !== null && {
            action: <ButtonLink href={newLineHref(tenantRef, trunk.id)}>Create a line</ButtonLink>,
          })}
        >
          The trunk is active, but no line uses it. A line is a number of the carrier and decides where its
          calls go.
        </Notice>
      );
    case 'none':
      return <Notice tone="positive" title={trunkStatusTexts[trunk.status].meaning} />;
  }
}

interface SubmitProps {
  trunk: OwnTrunk;
  selfService: SelfService;
  /** The note of the operator who rejected it. */
  rejected: string | null;
}

function Submit({ trunk, selfService, rejected }: SubmitProps) {
  const toasts = useToasts();
  const showTrunk = useShowTrunk();
  const auto = selfService === 'AUTO';
  const submit = useChange('POST', '/v1/sip-trunks/{trunkId}/submit', {
    onDone: ({ trunk: changed }) => {
      showTrunk(changed);
      toasts.add({ title: auto ? 'The trunk is active' : 'Submitted for approval', tone: 'positive' });
    },
  });
  const button = (
    <Button
      tone="accent"
      busy={submit.isPending}
      onClick={() => submit.mutate({ path: { trunkId: trunk.id } })}
    >
      {auto ? 'Activate' : rejected === null ? 'Submit for approval' : 'Submit again'}
    </Button>
  );
  const state: { tone: 'accent' | 'negative'; title: string; text: ReactNode } =
    rejected === null
      ? {
          tone: 'accent',
          title: auto ? 'Next: activate the trunk' : 'Next: submit the trunk',
          text: auto
            ? 'It receives and places calls as soon as it is active.'
            : 'The operator of this service looks at it and approves it. It then receives and places calls.',
        }
      : {
          tone: 'negative',
          title: 'Rejected by the operator',
          text: (
            <>
              <q className="font-medium">{rejected}</q> Correct the settings and submit it again.
            </>
          ),
        };
  return (
    <Notice tone={state.tone} title={state.title} action={button}>
      {state.text}
      {submit.error !== null && (
        <p role="alert" className="mt-1 font-medium text-negative-text">
          {problemMessage(submit.error)}
        </p>
      )}
    </Notice>
  );
}
