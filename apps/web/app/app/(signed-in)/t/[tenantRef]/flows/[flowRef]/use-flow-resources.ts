'use client';

/** The lines, queues, agents and audio assets of the tenant. */
import type { FlowWorld } from '@clarion/core/ivr/check-flow';
import { useMemo } from 'react';
import type { Agent, AudioAsset, Line, Queue } from '#lib/dashboard/edit/resources.ts';
import { useGet } from '#lib/dashboard/queries.ts';
import type { RequestProblem } from '#lib/dashboard/request.ts';

export interface FlowResources {
  lines: readonly Line[];
  queues: readonly Queue[];
  agents: readonly Agent[];
  sounds: readonly AudioAsset[];
  /** Their IDs, for the check of a flow. */
  ids: FlowWorld;
}

/** `data` null: still loading. */
export function useFlowResources(tenantRef: string): {
  data: FlowResources | null;
  error: RequestProblem | null;
} {
  const input = { path: { tenantRef } };
  const lines = useGet('/v1/tenants/{tenantRef}/channels', input);
  const queues = useGet('/v1/tenants/{tenantRef}/queues', input);
  const agents = useGet('/v1/tenants/{tenantRef}/agents', input);
  const sounds = useGet('/v1/tenants/{tenantRef}/audio-assets', input);
  const all = [lines, queues, agents, sounds];
  const data = useMemo(() => {
    if (!lines.data || !queues.data || !agents.data || !sounds.data) return null;
    const { audioAssets } = sounds.data;
    return {
      lines: lines.data.channels,
      queues: queues.data.queues,
      agents: agents.data.agents,
      sounds: audioAssets,
      ids: {
        queues: new Set(queues.data.queues.map(({ id }) => id)),
        agents: new Set(agents.data.agents.map(({ id }) => id)),
        audioAssets: new Set(audioAssets.map(({ id }) => id)),
      },
    };
  }, [lines.data, queues.data, agents.data, sounds.data]);
  return {
    data,
    error: all.find(({ error }) => error !== null)?.error ?? null,
  };
}
