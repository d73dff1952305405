'use client';

import { Button, ComboField, Field, FieldGroup, IconButton, NumberField, TextField } from '@clarion/ui';
import { ArrowDown, ArrowUp, ClipboardPaste, X } from 'lucide-react';
import { useState } from 'react';
import { AgentState } from '#lib/dashboard/edit/AgentState.tsx';
import { Named } from '#lib/dashboard/edit/Named.tsx';
import type { Agent } from '#lib/dashboard/edit/resources.ts';
import { useMe } from '#lib/dashboard/me.tsx';
import { useGet } from '#lib/dashboard/queries.ts';
import { PasteMembers } from './PasteMembers.tsx';
import { moved, type MemberDraft } from './queue-draft.ts';

interface MembersProps {
  tenantRef: string;
  members: readonly MemberDraft[];
  byPriority: boolean;
  onChange(members: MemberDraft[]): void;
}

const POLL_MS = 5_000;

export function Members({ tenantRef, members, byPriority, onChange }: MembersProps) {
  const me = useMe();
  const [pasting, setPasting] = useState(false);
  // The box is cleared after each choice.
  const [turn, setTurn] = useState(0);
  const { data } = useGet(
    '/v1/tenants/{tenantRef}/agents',
    { path: { tenantRef } },
    { refetchInterval: POLL_MS },
  );
  const agents = new Map(data?.agents.map((agent) => [agent.ref, agent]));
  const taken = new Set(members.map(({ agentRef }) => agentRef));
  const free = (data?.agents ?? []).filter(({ ref }) => !taken.has(ref));
  const add = (refs: readonly string[]) => {
    const priority = byPriority ? Math.max(0, ...members.map((member) => member.priority)) + 1 : 1;
    onChange([...members, ...refs.map((agentRef) => ({ agentRef, priority, skills: '' }))]);
    setTurn(turn + 1);
  };
  return (
    <FieldGroup
      title="Members"
      className="border-0 pt-0"
      hint={
        byPriority
          ? 'Members are rung in order of priority, from 1 to 1000, lowest first. Members with the same priority take turns.'
          : 'Only members who are connected and available are rung.'
      }
    >
      {members.length === 0 ? (
        <p className="rounded-panel border border-dashed border-line-strong px-4 py-6 text-center text-md text-muted">
          This queue has no members, so its callers are not answered. Add the agents who answer them.
        </p>
      ) : (
        <ol className="divide-y divide-line rounded-panel border border-line bg-surface">
          {members.map((member, index) => (
            <MemberRow
              key={member.agentRef}
              {...{ member, index, byPriority }}
              last={members.length - 1}
              agent={agents.get(member.agentRef)}
              onMove={(to) => onChange(moved(members, index, to))}
              onChange={(changes) =>
                onChange(members.map((one, at) => (at === index ? { ...one, ...changes } : one)))
              }
              onRemove={() => onChange(members.filter((_, at) => at !== index))}
            />
          ))}
        </ol>
      )}
      {me.may('manage') && (
        <div className="flex flex-wrap items-end gap-2">
          <ComboField
            key={turn}
            className="w-full sm:w-80"
            label="Add an agent"
            placeholder="Name or ref"
            emptyText={free.length === 0 ? 'All agents are members' : 'No matching agents'}
            choices={free.map(({ ref, name }) => ({ value: ref, label: name, note: ref }))}
            value={null}
            onValueChange={(ref) => ref !== null && add([ref])}
          />
          <Button icon={<ClipboardPaste className="size-4" />} onClick={() => setPasting(true)}>
            Paste refs
          </Button>
        </div>
      )}
      <PasteMembers
        open={pasting}
        onClose={() => setPasting(false)}
        known={[...agents.keys()]}
        members={[...taken]}
        onAdd={add}
      />
    </FieldGroup>
  );
}

interface MemberRowProps {
  member: MemberDraft;
  agent: Agent | undefined;
  index: number;
  last: number;
  byPriority: boolean;
  onMove(to: number): void;
  onChange(changes: Partial<MemberDraft>): void;
  onRemove(): void;
}

function MemberRow({ member, agent, index, last, byPriority, onMove, onChange, onRemove }: MemberRowProps) {
  const me = useMe();
  const name = agent?.name ?? member.agentRef;
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-x-4 gap-y-3 px-4 py-3 md:grid-cols-[minmax(0,1.2fr)_auto_minmax(0,1fr)_auto]">
      <Field name={`members[${index}].agent_ref`} label="Agent" hideLabel className="col-start-1 row-start-1">
        <span className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
          <Named name={name} refText={member.agentRef} />
          {agent && <AgentState agent={agent} />}
        </span>
        <input type="hidden" name={`members[${index}].agent_ref`} value={member.agentRef} />
      </Field>
      <div className="col-start-2 row-start-1 flex justify-end gap-1 md:col-start-4">
        {me.may('manage') && byPriority && (
          <>
            <IconButton
              size="sm"
              label={`Move ${name} up`}
              icon={<ArrowUp />}
              disabled={index === 0}
              onClick={() => onMove(index - 1)}
            />
            <IconButton
              size="sm"
              label={`Move ${name} down`}
              icon={<ArrowDown />}
              disabled={index === last}
              onClick={() => onMove(index + 1)}
            />
          </>
        )}
        {me.may('manage') && (
          <IconButton size="sm" label={`Remove ${name}`} icon={<X />} onClick={onRemove} />
        )}
      </div>
      <div className={byPriority ? 'max-md:col-span-2' : 'hidden'}>
        <NumberField
          name={`members[${index}].priority`}
          label={`Priority of ${name}`}
          hideLabel
          value={member.priority}
          onValueChange={(priority) => onChange({ priority: priority ?? 1 })}
        />
      </div>
      <TextField
        name={`members[${index}].skills`}
        label={`Skills of ${name}`}
        hideLabel
        placeholder="Skills, for example german, billing"
        className="max-md:col-span-2 md:col-start-3"
        value={member.skills}
        onValueChange={(skills) => onChange({ skills })}
      />
    </li>
  );
}
