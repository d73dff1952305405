'use client';

import { ButtonLink, Definition, Duration, EmptyState, Table, type Column } from '@clarion/ui';
import { Headphones } from 'lucide-react';
import { windowOf } from '#lib/dashboard/calls/days.ts';
import { Named } from '#lib/dashboard/edit/Named.tsx';
import { ReadProblem } from '#lib/dashboard/edit/ReadProblem.tsx';
import { tenantHome } from '#lib/dashboard/navigation.tsx';
import { useGet } from '#lib/dashboard/queries.ts';
import { meanings, type AgentFigures } from '#lib/dashboard/reports/figures.ts';
import type { ReportView } from './use-report.ts';

type Figure = 'answered' | 'missed' | 'declined' | 'talkSeconds' | 'avgTalkSeconds' | 'availableSeconds';
type Sort = NonNullable<Column<AgentFigures>['sort']>;
const figures: readonly Figure[] = [
  'answered',
  'missed',
  'declined',
  'talkSeconds',
  'avgTalkSeconds',
  'availableSeconds',
];

export function AgentsReport({ tenantRef, view }: { tenantRef: string; view: ReportView }) {
  const { data, error, refetch } = useGet(
    '/v1/tenants/{tenantRef}/reports/agents',
    { path: { tenantRef }, query: windowOf(view.days) },
    { keepPrevious: true, enabled: !view.tooLong },
  );
  if (error !== null) return <ReadProblem what="The report" problem={error} onRetry={() => void refetch()} />;
  const by = figures.find((known) => known === view.url.get('sort')) ?? null;
  const direction = view.url.get('dir') === 'asc' ? 'asc' : 'desc';
  const sort = (figure: Figure): Sort => ({
    direction: by === figure ? direction : null,
    onSort: () => view.url.set({ sort: figure, dir: by === figure && direction === 'desc' ? 'asc' : null }),
  });
  const rows = data?.agents.toSorted((a, b) => {
    if (by === null) return a.name.localeCompare(b.name, 'en-GB');
    return direction === 'asc' ? a[by] - b[by] : b[by] - a[by];
  });
  return (
    <Table
      label="Agents in this period"
      columns={columns(sort)}
      rows={rows}
      rowKey={({ agentId }) => agentId}
      rowHref={({ agentRef }) =>
        `${tenantHome(tenantRef)}/calls?${new URLSearchParams({ agent: agentRef, ...view.days })}`
      }
      stacked
      empty={
        <EmptyState
          icon={<Headphones />}
          title="No agents yet"
          action={<ButtonLink href={`${tenantHome(tenantRef)}/agents`}>Add agents</ButtonLink>}
        >
          Once your agents answer calls, this report shows their calls, talk time and availability.
        </EmptyState>
      }
    />
  );
}

const columns = (sort: (figure: Figure) => Sort): Column<AgentFigures>[] => {
  const figure = (key: Figure, header: string, cell: Column<AgentFigures>['cell']): Column<AgentFigures> => ({
    key,
    header,
    align: 'end',
    sort: sort(key),
    cell,
  });
  return [
    { key: 'agent', header: 'Agent', cell: ({ name, agentRef }) => <Named name={name} refText={agentRef} /> },
    figure('answered', 'Answered', ({ answered }) => answered),
    figure('missed', 'Missed', ({ missed }) => missed),
    figure('declined', 'Declined', ({ declined }) => declined),
    figure('talkSeconds', 'Talked', ({ talkSeconds }) => <Duration seconds={talkSeconds} />),
    figure('avgTalkSeconds', 'Average talk', ({ answered, avgTalkSeconds }) => (
      <Duration seconds={answered === 0 ? null : avgTalkSeconds} clock />
    )),
    figure('availableSeconds', 'Available', ({ availableSeconds }) => (
      <Duration seconds={availableSeconds} />
    )),
  ];
};

/** Beside the table, since its headers sort. */
export function AgentMeanings() {
  const terms = [
    ['Answered', meanings.agentAnswered],
    ['Missed', meanings.agentMissed],
    ['Declined', meanings.agentDeclined],
    ['Talked', meanings.agentTalk],
    ['Available', meanings.agentAvailable],
  ] as const;
  return (
    <p className="flex flex-wrap gap-x-4 gap-y-1 text-sm text-muted">
      {terms.map(([term, meaning]) => (
        <Definition key={term} term={term}>
          {meaning}
        </Definition>
      ))}
    </p>
  );
}
