'use client';

import type { BoardAgent } from '@clarion/sdk';
import { Avatar, Badge, EmptyState, LiveTimer, TextLink, type Tone } from '@clarion/ui';
import { Users } from 'lucide-react';
import { memo } from 'react';
import type { AgentFilter } from './board-store.ts';
import { useAgent, useBoard, useLocalTime, useTools } from './live-context.ts';
import { Panel } from './Panel.tsx';
import { VirtualRows, type RowPlace } from './VirtualRows.tsx';

const ROW_PX = 48;

export const agentStates: Record<BoardAgent['state'], { label: string; tone: Tone }> = {
  AVAILABLE: { label: 'Available', tone: 'positive' },
  RINGING: { label: 'Ringing', tone: 'accent' },
  ON_CALL: { label: 'On a call', tone: 'accent' },
  WRAP_UP: { label: 'Wrap-up', tone: 'warning' },
  OFFLINE: { label: 'Away', tone: 'neutral' },
};
const choices = Object.keys(agentStates) as BoardAgent['state'][];

export function AgentsPanel({
  filter,
  onState,
}: {
  filter: AgentFilter;
  onState(state: BoardAgent['state'] | null): void;
}) {
  const ids = useBoard((store) => store.agentIds());
  const totals = useBoard((store) => store.totals().agents);
  const total = choices.reduce((sum, state) => sum + totals[state], 0);
  return (
    <Panel
      title="Agents"
      count={ids.length === total ? total : `${ids.length} of ${total}`}
      className="max-lg:max-h-96"
      tools={
        <select
          aria-label="Filter by state"
          value={filter.state ?? ''}
          onChange={({ target }) => onState(choices.find((state) => state === target.value) ?? null)}
          className="cl-focus min-h-9 rounded-control border border-line bg-surface px-2 text-md text-ink pointer-coarse:min-h-11"
        >
          <option value="">All states</option>
          {choices.map((state) => (
            <option key={state} value={state}>
              {agentStates[state].label} ({totals[state]})
            </option>
          ))}
        </select>
      }
    >
      <VirtualRows
        label="Agents"
        ids={ids}
        rowHeight={ROW_PX}
        className="flex-1"
        row={(agentId, place) => <AgentRow key={agentId} agentId={agentId} {...place} />}
        empty={<NoAgents none={total === 0} />}
      />
    </Panel>
  );
}

const AgentRow = memo(function AgentRow({ agentId, rowIndex, top, height }: RowPlace & { agentId: number }) {
  const agent = useAgent(agentId);
  const local = useLocalTime();
  if (agent === undefined) return null;
  const { label, tone } = agentStates[agent.state];
  return (
    <div
      role="row"
      aria-rowindex={rowIndex}
      data-agent={agentId}
      style={{ top, height }}
      className="absolute inset-x-0 grid grid-cols-[auto_minmax(0,1fr)_auto_3.5rem] items-center gap-x-3 border-b border-line px-4 text-md hover:bg-raised"
    >
      <Avatar name={agent.name} size="sm" />
      <div role="cell" className="truncate" title={agent.agentRef}>
        {agent.name}
        {agent.doNotDisturb && <span className="ml-2 text-sm text-muted">Do not disturb</span>}
      </div>
      <div role="cell">
        <Badge tone={tone} dot>
          {label}
        </Badge>
      </div>
      <div role="cell" className="text-right text-muted">
        {agent.until !== null ? (
          <LiveTimer since={local(agent.until)} until />
        ) : (
          agent.since !== null && <LiveTimer since={local(agent.since)} />
        )}
      </div>
    </div>
  );
});

function NoAgents({ none }: { none: boolean }) {
  const { tenantRef, live } = useTools();
  if (live.state === 'connecting') return <p className="px-4 py-12 text-center text-muted">Connecting…</p>;
  return none ? (
    <EmptyState icon={<Users />} title="No agents yet">
      Agents appear here with their current state. Add agents so that they can sign in to the phone.{' '}
      <TextLink href={`/app/t/${encodeURIComponent(tenantRef)}/agents`}>Add agents</TextLink>
    </EmptyState>
  ) : (
    <EmptyState icon={<Users />} title="No agents match this filter" />
  );
}
