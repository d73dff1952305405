'use client';

import { AgentPhone, Button, ComboField, EmptyState, Notice } from '@clarion/ui';
import { useAgent, usePhone } from '@clarion/phone';
import { Headphones, PhoneCall } from 'lucide-react';
import { useState } from 'react';
import type { Line } from '../../../../../../../lib/dashboard/edit/resources.ts';
import { usePhoneOf } from '../../../../../../../lib/dashboard/use-phone-of.ts';
import type { Builder } from './use-builder.ts';

interface CallItProps {
  tenantRef: string;
  builder: Builder;
  isStored: boolean;
  /** What is drawn is what is stored. */
  isSaved: boolean;
}

/** A real call of one of the tenant's agents to the line that the flow answers: its sounds are heard, keys are pressed. */
export function CallIt({ tenantRef, builder, isStored, isSaved }: CallItProps) {
  const { draft, world } = builder;
  const [chosen, setChosen] = useState<string | null>(null);
  const agentRef = chosen ?? world.agents[0]?.ref ?? null;
  const line = world.lines.find(({ ref }) => ref === draft.channelRef);
  if (agentRef === null) {
    return (
      <EmptyState icon={<Headphones />} title="There is nobody to call as">
        Create an agent first. The phone here is theirs.
      </EmptyState>
    );
  }
  const answers = isStored && draft.status === 'ACTIVE';
  return (
    <>
      <div>
        <h2 className="text-base font-semibold text-ink">Call it</h2>
        <p className="mt-0.5 text-md text-muted">
          A real call to the line, from an agent’s phone in this page. It is in the list of calls like any
          other, and your carrier may charge for it.
        </p>
      </div>
      {!isStored ? (
        <Notice tone="warning">Save the flow first: calls are answered by what is saved.</Notice>
      ) : draft.status !== 'ACTIVE' ? (
        <Notice tone="warning">
          The flow is off, so it takes no calls. Turn it on under Flow, and save.
        </Notice>
      ) : (
        !isSaved && <Notice>Calls are answered by the flow as it was last saved.</Notice>
      )}
      <ComboField
        label="Call as"
        choices={world.agents.map(({ ref, name }) => ({ value: ref, label: name, note: ref }))}
        value={agentRef}
        onValueChange={setChosen}
      />
      <PhoneOf key={agentRef} tenantRef={tenantRef} agentRef={agentRef} line={answers ? line : undefined} />
    </>
  );
}

interface PhoneOfProps {
  tenantRef: string;
  agentRef: string;
  /** The line to call; undefined: the flow answers nothing yet. */
  line: Line | undefined;
}

function PhoneOf({ tenantRef, agentRef, line }: PhoneOfProps) {
  const { getToken, createCall } = usePhoneOf(tenantRef, agentRef);
  const { model, actions } = usePhone(useAgent(undefined, getToken), { createCall });
  // From another line where there is one: a caller who is the line itself is hard to tell in the list of calls.
  const from = model.lines.find(({ ref }) => ref !== line?.ref) ?? model.lines[0];
  const isIdle = model.view.at === 'idle' || model.view.at === 'ended';
  return (
    <>
      {line !== undefined && isIdle && (
        <Button
          tone="positive"
          size="lg"
          icon={<PhoneCall className="size-4.5" aria-hidden />}
          disabled={from === undefined || model.connection !== 'connected'}
          onClick={() => {
            if (from) actions.dial(from.ref, line.address);
          }}
        >
          Call {line.address}
        </Button>
      )}
      <AgentPhone model={model} actions={actions} />
    </>
  );
}
