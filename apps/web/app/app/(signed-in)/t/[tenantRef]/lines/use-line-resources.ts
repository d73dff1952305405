'use client';

/** The lines and everything that they can refer to. */
import type { Agent, Flow, Line, Queue, Trunk } from '#lib/dashboard/edit/resources.ts';
import { useGet } from '#lib/dashboard/queries.ts';
import type { RequestProblem } from '#lib/dashboard/request.ts';

export interface LineResources {
  /** Undefined while loading. */
  lines: readonly Line[] | undefined;
  queues: readonly Queue[];
  agents: readonly Agent[];
  flows: readonly Flow[];
  trunks: readonly Trunk[];
  error: RequestProblem | null;
  retry(): void;
}

export function useLineResources(tenantRef: string): LineResources {
  const path = { tenantRef };
  const lines = useGet('/v1/tenants/{tenantRef}/channels', { path });
  const queues = useGet('/v1/tenants/{tenantRef}/queues', { path });
  const agents = useGet('/v1/tenants/{tenantRef}/agents', { path });
  const flows = useGet('/v1/tenants/{tenantRef}/ivr-flows', { path });
  const trunks = useGet('/v1/sip-trunks', {});
  const known = queues.data && agents.data && flows.data && trunks.data;
  return {
    // All or nothing: a form with the line but without the queues would show no queue.
    lines: known && lines.data?.channels,
    queues: queues.data?.queues ?? [],
    agents: agents.data?.agents ?? [],
    flows: flows.data?.ivrFlows ?? [],
    trunks: trunks.data?.trunks ?? [],
    error: lines.error ?? queues.error ?? agents.error ?? flows.error ?? trunks.error,
    retry() {
      for (const each of [lines, queues, agents, flows, trunks]) if (each.error) void each.refetch();
    },
  };
}
