'use client';

import { classNames, TextLink } from '@clarion/ui';
import { ListTree, PhoneOff, UserRound, UsersRound } from 'lucide-react';
import type { Line } from '#lib/dashboard/edit/resources.ts';
import { tenantHome } from '#lib/dashboard/navigation.tsx';
import { ringSecondsOf, type LineDraft } from './line-draft.ts';
import type { LineResources } from './use-line-resources.ts';
import { callPath, type Step } from './call-path.ts';

const icons = { flow: ListTree, queue: UsersRound, owner: UserRound, ends: PhoneOff };

interface CallPathProps {
  tenantRef: string;
  /** Null: a new line, without flows. */
  line: Line | null;
  /** The current form values: the path follows them. */
  draft: LineDraft;
  around: LineResources;
}

/** What happens when a customer calls, with the current settings. */
export function CallPath({ tenantRef, line, draft, around }: CallPathProps) {
  const queue = around.queues.find(({ ref }) => draft.inbound === 'queue' && ref === draft.queueRef) ?? null;
  const owner = around.agents.find(({ ref }) => draft.inbound === 'owner' && ref === draft.ownerRef) ?? null;
  const flows = around.flows.filter(({ channelRef }) => channelRef === line?.ref);
  const steps = callPath({
    disabled: !draft.active,
    owner,
    ringSeconds: ringSecondsOf(draft),
    queue,
    overflow: around.queues.find(({ id }) => id === queue?.overflowQueueId) ?? null,
    flows,
  });
  const chosen = draft.inbound === 'none' || queue !== null || owner !== null;
  return (
    <section aria-label="What happens when a customer calls" className="rounded-panel bg-raised px-4 py-3.5">
      <h3 className="font-semibold">What happens when a customer calls</h3>
      {chosen || !draft.active ? (
        <ol className="mt-2 flex flex-col gap-2.5" aria-live="polite">
          {steps.map((step) => (
            <StepLine key={step.what} step={step} />
          ))}
        </ol>
      ) : (
        <p className="mt-1 text-muted">Choose below where calls go.</p>
      )}
      {draft.inbound !== 'owner' && line !== null && (
        <p className="mt-2 text-sm text-muted">
          <TextLink href={`${tenantHome(tenantRef)}/flows`}>
            {flows.length === 0 ? 'Add a flow that answers first' : 'Edit flows'}
          </TextLink>
        </p>
      )}
    </section>
  );
}

function StepLine({ step: { kind, when, what, after, warning } }: { step: Step }) {
  const Icon = icons[kind];
  return (
    <li className="flex gap-2.5">
      <Icon
        className={classNames('mt-0.5 size-4 shrink-0', warning ? 'text-warning' : 'text-accent')}
        aria-hidden
      />
      <span className="min-w-0">
        {when !== null && <span className="font-medium">{when}: </span>}
        {what} {after !== null && <span className="text-muted">{after}</span>}
      </span>
    </li>
  );
}
