'use client';

import { ButtonLink, Definition, Duration, EmptyState, Skeleton, Stack, Stat, StatRow } from '@clarion/ui';
import { ChartNoAxesColumn } from 'lucide-react';
import dynamic from 'next/dynamic.js';
import { daysBefore } from '#lib/dashboard/calls/days.ts';
import { ReadProblem } from '#lib/dashboard/edit/ReadProblem.tsx';
import { tenantHome } from '#lib/dashboard/navigation.tsx';
import { useGet } from '#lib/dashboard/queries.ts';
import {
  meanings,
  percent,
  pointsTrend,
  serviceLevelMeaning,
  trendOf,
  type CallFigures,
} from '#lib/dashboard/reports/figures.ts';
import { callQuery, type ReportView } from './use-report.ts';

const CallCharts = dynamic(() => import('./CallCharts.tsx').then((part) => part.CallCharts), {
  ssr: false,
  loading: () => <Skeleton className="h-64!" />,
});

const PATH = '/v1/tenants/{tenantRef}/reports/calls';

export function CallsReport({ tenantRef, view }: { tenantRef: string; view: ReportView }) {
  const path = { tenantRef };
  const { data, error, refetch } = useGet(
    PATH,
    { path, query: callQuery(view, view.days) },
    { keepPrevious: true, enabled: !view.tooLong },
  );
  const before = useGet(
    PATH,
    { path, query: callQuery(view, daysBefore(view.days)) },
    { keepPrevious: true, enabled: view.compare && !view.tooLong },
  );
  if (error !== null) return <ReadProblem what="The report" problem={error} onRetry={() => void refetch()} />;
  if (data === undefined) {
    return (
      <Stack>
        <Skeleton className="h-24!" />
        <Skeleton className="h-64!" />
      </Stack>
    );
  }
  if (data.totals.total === 0) {
    return (
      <EmptyState
        icon={<ChartNoAxesColumn />}
        title="No calls in this period"
        action={<ButtonLink href={`${tenantHome(tenantRef)}/calls`}>View calls</ButtonLink>}
      >
        Choose a longer period or remove a filter.
      </EmptyState>
    );
  }
  return (
    <Stack gap="lg">
      <Totals
        now={data.totals}
        before={view.compare ? (before.data?.totals ?? null) : null}
        seconds={data.serviceLevel.thresholdSeconds}
      />
      <CallCharts report={data} />
    </Stack>
  );
}

interface TotalsProps {
  now: CallFigures;
  before: CallFigures | null;
  seconds: number;
}

function Totals({ now, before, seconds }: TotalsProps) {
  const trend = (of: (figures: CallFigures) => number | null, good: 'up' | 'down' | null) =>
    trendOf(of(now), before && of(before), good);
  const figure = (
    term: string,
    meaning: string,
    value: React.ReactNode,
    change: ReturnType<typeof trendOf>,
    hint?: string,
  ) => (
    <Stat
      label={<Definition term={term}>{meaning}</Definition>}
      value={value}
      {...(change && { trend: change })}
      {...(hint !== undefined && { hint })}
    />
  );
  const share = percent(now.total === 0 ? null : now.answered / now.total);
  return (
    <StatRow>
      {figure(
        'Calls',
        meanings.total,
        now.total,
        trend(({ total }) => total, null),
        `${now.inbound} inbound, ${now.outbound} outbound`,
      )}
      {figure(
        'Answered',
        meanings.answered,
        now.answered,
        trend(({ answered }) => answered, 'up'),
        `${share} of all calls`,
      )}
      {figure(
        'Missed',
        meanings.missed,
        now.missed,
        trend(({ missed }) => missed, 'down'),
      )}
      {figure(
        'Abandoned',
        meanings.abandoned,
        now.abandoned,
        trend(({ abandoned }) => abandoned, 'down'),
        `${now.shortAbandoned} within 5 s`,
      )}
      {figure(
        'Service level',
        serviceLevelMeaning(seconds),
        percent(now.serviceLevel),
        pointsTrend(now.serviceLevel, before && before.serviceLevel),
        `within ${seconds} s`,
      )}
      {figure(
        'Average wait',
        meanings.avgWait,
        <Duration seconds={now.avgWaitSeconds} clock />,
        trend(({ avgWaitSeconds }) => avgWaitSeconds, 'down'),
      )}
      {figure(
        'Average talk',
        meanings.avgTalk,
        <Duration seconds={now.answered === 0 ? null : now.avgTalkSeconds} clock />,
        trend(({ avgTalkSeconds }) => avgTalkSeconds, null),
      )}
    </StatRow>
  );
}
