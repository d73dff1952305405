'use client';

import { Button, RadioCards, useToasts } from '@clarion/ui';
import { useState } from 'react';
import { ConfirmAction } from '#lib/dashboard/edit/ConfirmAction.tsx';
import { EditDrawer } from '#lib/dashboard/edit/EditDrawer.tsx';
import { LookOrEdit } from '#lib/dashboard/edit/LookOrEdit.tsx';
import { NameAndRef } from '#lib/dashboard/edit/NameAndRef.tsx';
import { newRef } from '#lib/dashboard/edit/new-ref.ts';
import { useDraft } from '#lib/dashboard/edit/use-draft.ts';
import { useChange } from '#lib/dashboard/queries.ts';
import { AgentDetails } from './AgentDetails.tsx';
import type { Agent, Line } from '#lib/dashboard/edit/resources.ts';
import { PushTokens } from './PushTokens.tsx';
import { TestAgent } from './TestAgent.tsx';

interface AgentDrawerProps {
  tenantRef: string;
  target: Agent | 'new' | null;
  taken: readonly string[];
  lines: readonly Line[];
  onClose(): void;
}

export function AgentDrawer({ target, ...props }: AgentDrawerProps) {
  const { tenantRef, lines, onClose } = props;
  return (
    <LookOrEdit
      target={target}
      onClose={onClose}
      titleOf={({ name }) => name}
      facts={(agent) => <AgentDetails agent={agent} lines={lines} tenantRef={tenantRef} />}
      form={(agent, open) => <AgentForm {...props} agent={agent} open={open} />}
    />
  );
}

interface AgentFormProps extends Omit<AgentDrawerProps, 'target'> {
  open: boolean;
  agent: Agent | null;
}

function AgentForm({ tenantRef, open, agent, taken, lines, onClose }: AgentFormProps) {
  const toasts = useToasts();
  const [asking, setAsking] = useState(false);
  const { draft, change, dirty } = useDraft(open, () => ({
    name: agent?.name ?? '',
    ref: agent?.ref ?? '',
    role: agent?.role ?? 'AGENT',
  }));
  const put = useChange('PUT', '/v1/tenants/{tenantRef}/agents/{agentRef}', {
    invalidates: ['/v1/tenants/{tenantRef}/agents'],
  });
  const remove = useChange('DELETE', '/v1/tenants/{tenantRef}/agents/{agentRef}', {
    invalidates: ['/v1/tenants/{tenantRef}/agents', '/v1/tenants/{tenantRef}/queues'],
  });
  return (
    <EditDrawer
      open={open}
      onClose={onClose}
      title={agent?.name ?? 'New agent'}
      dirty={dirty}
      onSave={async () => {
        const agentRef = agent?.ref ?? newRef('agent_ref', draft.ref, taken);
        await put.mutateAsync({
          path: { tenantRef, agentRef },
          body: { name: draft.name, role: draft.role },
        });
        toasts.add({ title: agent === null ? `${draft.name} was added` : 'Saved', tone: 'positive' });
      }}
      saveLabel={agent === null ? 'Add agent' : 'Save'}
      {...(agent !== null && {
        above: (
          <>
            <AgentDetails agent={agent} lines={lines} tenantRef={tenantRef} />
            <TestAgent tenantRef={tenantRef} agent={agent} />
            <PushTokens tenantRef={tenantRef} agentRef={agent.ref} />
          </>
        ),
        dialogs: (
          <ConfirmAction
            open={asking}
            onClose={() => setAsking(false)}
            title={`Delete ${agent.name}?`}
            confirmLabel="Delete agent"
            tone="negative"
            onConfirm={async () => {
              await remove.mutateAsync({ path: { tenantRef, agentRef: agent.ref } });
              toasts.add({ title: `${agent.name} was deleted` });
              onClose();
            }}
          >
            <p>
              Their app is disconnected immediately, they are removed from all queues, and their tokens are
              rejected until an agent with this ref is created again.
            </p>
            <p className="mt-2">
              Past calls keep their name. Their personal lines remain assigned to them and ring no one.
            </p>
          </ConfirmAction>
        ),
        aside: (
          <Button tone="plain" onClick={() => setAsking(true)}>
            Delete
          </Button>
        ),
      })}
    >
      <NameAndRef
        noun="agent"
        refField="agent_ref"
        value={draft}
        onChange={change}
        isNew={agent === null}
        taken={taken}
        nameHint="Shown to colleagues. A name in the agent token replaces it the next time the agent connects."
      />
      <RadioCards
        name="role"
        label="Role"
        value={draft.role}
        onValueChange={(role) => change({ role: role === 'SUPERVISOR' ? 'SUPERVISOR' : 'AGENT' })}
        choices={[
          { value: 'AGENT', label: 'Agent', note: 'Answers and places calls.' },
          {
            value: 'SUPERVISOR',
            label: 'Supervisor',
            note: 'Also sees the whole board and can listen to live calls, if the tenant allows it.',
          },
        ]}
      />
    </EditDrawer>
  );
}
