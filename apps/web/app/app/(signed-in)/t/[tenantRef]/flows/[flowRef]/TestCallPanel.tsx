'use client';

import { Button, ComboField, EmptyState, Notice } from '@clarion/ui';
import { Headphones, PhoneCall } from 'lucide-react';
import { useState } from 'react';
import { TestCall } from './TestCall.tsx';
import type { Builder } from './use-builder.ts';

interface TestCallPanelProps {
  tenantRef: string;
  builder: Builder;
  isStored: boolean;
  /** The draft equals the stored flow. */
  isSaved: boolean;
}

/** Places a real call from one of the tenant's agents to the line of the flow, with audio and keypad. */
export function TestCallPanel({ tenantRef, builder, isStored, isSaved }: TestCallPanelProps) {
  const { draft, resources } = builder;
  const [chosen, setChosen] = useState<string | null>(null);
  const [isCalling, setIsCalling] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  // An agent who is on shift is not called unless selected.
  const preferred =
    resources.agents.find(({ availability }) => availability === 'OFFLINE') ?? resources.agents[0];
  const agent = resources.agents.find(({ ref }) => ref === chosen) ?? preferred;
  const line = resources.lines.find(({ ref }) => ref === draft.channelRef);
  if (agent === undefined) {
    return (
      <EmptyState icon={<Headphones />} title="No agents yet">
        A test call is placed as one of your agents. Add an agent first.
      </EmptyState>
    );
  }
  const answers = isStored && draft.status === 'ACTIVE';
  return (
    <>
      <div>
        <h2 className="text-base font-semibold text-ink">Test call</h2>
        <p className="mt-0.5 text-md text-muted">
          Places a real call from this page to the line. It is listed with your other calls, and your carrier
          may charge for it.
        </p>
      </div>
      {!isStored ? (
        <Notice tone="warning">Save the flow first. Calls are answered by the saved version.</Notice>
      ) : draft.status !== 'ACTIVE' ? (
        <Notice tone="warning">
          This flow is off and does not answer calls. Turn it on in the Flow tab and save it.
        </Notice>
      ) : (
        !isSaved && <Notice>Calls are answered by the last saved version of the flow.</Notice>
      )}
      {problem !== null && <Notice tone="negative">{problem}</Notice>}
      {isCalling && line !== undefined ? (
        <TestCall
          tenantRef={tenantRef}
          agentRef={agent.ref}
          line={line}
          onEnd={(reason) => {
            setIsCalling(false);
            setProblem(reason);
          }}
        />
      ) : (
        <>
          <ComboField
            label="Call as"
            choices={resources.agents.map(({ ref, name }) => ({ value: ref, label: name, note: ref }))}
            value={agent.ref}
            onValueChange={setChosen}
          />
          {agent.availability === 'AVAILABLE' && (
            <Notice tone="warning">
              {agent.name} is available for calls. A customer’s call may be offered to them while the test
              call connects.
            </Notice>
          )}
          {answers && line !== undefined && (
            <Button
              tone="positive"
              size="lg"
              icon={<PhoneCall className="size-4.5" aria-hidden />}
              onClick={() => {
                setProblem(null);
                setIsCalling(true);
              }}
            >
              Call {line.address}
            </Button>
          )}
        </>
      )}
    </>
  );
}
