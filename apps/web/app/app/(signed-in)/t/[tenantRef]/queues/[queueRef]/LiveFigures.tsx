'use client';

import { Definition, Duration, Skeleton, Stat, StatRow } from '@clarion/ui';
import { useGet } from '#lib/dashboard/queries.ts';

const POLL_MS = 3_000;

export function LiveFigures({ tenantRef, queueId }: { tenantRef: string; queueId: number }) {
  const { data } = useGet(
    '/v1/tenants/{tenantRef}/reports/live',
    { path: { tenantRef } },
    { refetchInterval: POLL_MS },
  );
  if (data === undefined) return <Skeleton className="h-20" />;
  const live = data.queues.find((queue) => queue.queueId === queueId);
  return (
    <StatRow>
      <Stat
        label="Waiting now"
        value={live?.waiting ?? 0}
        tone={(live?.waiting ?? 0) > 0 ? 'warning' : 'neutral'}
      />
      <Stat label="Longest wait" value={<Duration seconds={live?.longestWaitSeconds ?? null} clock />} />
      <Stat
        label={
          <Definition term="Available">
            Members who are connected, available and not on a call. Only these members are rung.
          </Definition>
        }
        value={live?.agents.available ?? 0}
      />
      <Stat label="On a call" value={live?.agents.onCall ?? 0} />
      <Stat label="Away" value={live?.agents.offline ?? 0} />
    </StatRow>
  );
}
