'use client';

import { Definition, LiveTimer, Stat, StatRow } from '@clarion/ui';
import { useState, type ReactNode } from 'react';
import { useGet } from '#lib/dashboard/queries.ts';
import { useBoard, useLocalTime, useTools } from './live-context.ts';

const REPORT_EVERY_MS = 15_000;

/** The headline figures. The service level comes from the report, the others from the board. */
export function LiveFigures({ tenantRef }: { tenantRef: string }) {
  const totals = useBoard((store) => store.totals());
  const local = useLocalTime();
  const [from] = useState(startOfToday);
  const { data } = useGet(
    '/v1/tenants/{tenantRef}/reports/calls',
    { path: { tenantRef }, query: { from } },
    { refetchInterval: REPORT_EVERY_MS },
  );
  const ratio = data?.serviceLevel.ratio ?? null;
  const { agents } = totals;
  // No data yet: 0 would be wrong.
  const known = useTools().live.state !== 'connecting';
  const shown = (value: ReactNode) => (known ? value : '–');
  return (
    <StatRow className="shrink-0">
      <Stat label="Live calls" value={shown(totals.calls)} hint={known ? `${totals.talking} talking` : ' '} />
      <Stat
        label="Waiting"
        value={shown(totals.waiting)}
        hint={!known ? ' ' : totals.waiting === 0 ? 'no one waiting' : 'in all queues'}
        tone={totals.waiting > 0 ? 'warning' : 'neutral'}
      />
      <Stat
        label="Longest wait"
        value={
          totals.longestWaitingSince === null ? '–' : <LiveTimer since={local(totals.longestWaitingSince)} />
        }
        hint="of callers waiting now"
      />
      <Stat
        label="Available agents"
        value={shown(agents.AVAILABLE)}
        hint={known ? `${agents.ON_CALL} on a call` : ' '}
      />
      <Stat
        label={
          <Definition term="Service level today">
            The share of queued calls answered within 20 seconds. Callers who hung up within 20 seconds are
            not counted.
          </Definition>
        }
        value={ratio === null ? '–' : `${Math.round(ratio * 100)}%`}
        hint={data === undefined ? ' ' : `${data.serviceLevel.answeredWithin} answered within 20 s`}
      />
    </StatRow>
  );
}

/** On the reader's clock. */
function startOfToday(): string {
  const at = new Date();
  at.setHours(0, 0, 0, 0);
  return at.toISOString();
}
