'use client';

/** The names of a tenant's agents, queues and lines by ID and by ref, because calls contain both. */
import { useGet } from '../queries.ts';

export interface Names {
  agentById(id: number | null): string | null;
  agentByRef(ref: string | null): string | null;
  queueById(id: number | null): string | null;
  queueByRef(ref: string | null): string | null;
  lineByRef(ref: string): string;
  flowById(id: number): string | null;
  agents: readonly { ref: string; name: string }[];
  queues: readonly { ref: string; name: string }[];
  lines: readonly { ref: string; name: string; type: 'SIP' | 'WHATSAPP' }[];
}

export function useNames(tenantRef: string, options: { flows?: boolean } = {}): Names {
  const path = { tenantRef };
  const agents = useGet('/v1/tenants/{tenantRef}/agents', { path }).data?.agents ?? [];
  const queues = useGet('/v1/tenants/{tenantRef}/queues', { path }).data?.queues ?? [];
  const channels = useGet('/v1/tenants/{tenantRef}/channels', { path }).data?.channels ?? [];
  const flows =
    useGet('/v1/tenants/{tenantRef}/ivr-flows', { path }, { enabled: options.flows === true }).data
      ?.ivrFlows ?? [];
  const named = <T extends { name: string }>(row: T | undefined) => row?.name ?? null;
  const lines = channels.map(({ ref, type, displayName, address }) => ({
    ref,
    type,
    name: displayName ?? address,
  }));
  return {
    agentById: (id) => named(agents.find((agent) => agent.id === id)),
    // An agent who was deleted since is shown by the ref that the call contains.
    agentByRef: (ref) => named(agents.find((agent) => agent.ref === ref)) ?? ref,
    queueById: (id) => named(queues.find((queue) => queue.id === id)),
    queueByRef: (ref) => named(queues.find((queue) => queue.ref === ref)) ?? ref,
    lineByRef: (ref) => lines.find((line) => line.ref === ref)?.name ?? ref,
    flowById: (id) => named(flows.find((flow) => flow.id === id)),
    agents,
    queues,
    lines,
  };
}
