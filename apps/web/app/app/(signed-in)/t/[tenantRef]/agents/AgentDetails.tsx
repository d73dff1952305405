'use client';

import { DateTime, DescriptionList, SwitchField, TextLink } from '@clarion/ui';
import { AgentState } from '#lib/dashboard/edit/AgentState.tsx';
import { useMe } from '#lib/dashboard/me.tsx';
import { tenantHome } from '#lib/dashboard/navigation.tsx';
import { useChange } from '#lib/dashboard/queries.ts';
import type { Agent, Line } from '#lib/dashboard/edit/resources.ts';

interface AgentFactsProps {
  agent: Agent;
  lines: readonly Line[];
  tenantRef: string;
}

export function AgentDetails({ agent, lines, tenantRef }: AgentFactsProps) {
  const me = useMe();
  const disturb = useChange('PUT', '/v1/tenants/{tenantRef}/agents/{agentRef}/do-not-disturb', {
    invalidates: ['/v1/tenants/{tenantRef}/agents'],
  });
  const own = lines.filter(({ ownerAgentId }) => ownerAgentId === agent.id);
  const wanted = disturb.isPending ? disturb.variables.body.enabled : agent.doNotDisturb;
  return (
    <div className="flex flex-col gap-4">
      <DescriptionList
        items={[
          { term: 'State', value: <AgentState agent={agent} /> },
          {
            term: 'Devices',
            value: agent.connected
              ? `${agent.deviceCount} ${agent.deviceCount === 1 ? 'device' : 'devices'}`
              : 'Not signed in',
          },
          { term: 'Ref', value: <code className="font-mono">{agent.ref}</code>, copy: agent.ref },
          {
            term: 'Personal lines',
            value:
              own.length === 0
                ? null
                : own.map(({ ref, displayName, address }) => (
                    <TextLink
                      key={ref}
                      className="block"
                      href={`${tenantHome(tenantRef)}/lines?open=${encodeURIComponent(ref)}`}
                    >
                      {displayName ?? address}
                    </TextLink>
                  )),
          },
          { term: 'Since', value: <DateTime at={agent.createdAt} /> },
        ]}
      />
      {me.may('manage') && (
        <SwitchField
          label="Do not disturb"
          hint="Calls to their personal line do not ring. Queue calls follow their availability."
          checked={wanted}
          disabled={disturb.isPending}
          onCheckedChange={(enabled) =>
            disturb.mutate({ path: { tenantRef, agentRef: agent.ref }, body: { enabled } })
          }
        />
      )}
    </div>
  );
}
