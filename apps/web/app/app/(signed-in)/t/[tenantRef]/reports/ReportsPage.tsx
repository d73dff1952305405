'use client';

import { Notice, Page, Stack, Tabs, Skeleton, onDemand } from '@clarion/ui';
import { useNames } from '#lib/dashboard/calls/use-names.ts';
import { CallsReport } from './CallsReport.tsx';
import { ExportReport } from './ExportReport.tsx';
import { DAYS_MAX, useReport } from './use-report.ts';

const ReportFilters = onDemand(
  async () => (await import('./ReportFilters.tsx')).ReportFilters,
  () => <Skeleton className="h-16" />,
);
const AgentMeanings = onDemand(
  async () => (await import('./AgentsReport.tsx')).AgentMeanings,
  () => null,
);
const AgentsReport = onDemand(
  async () => (await import('./AgentsReport.tsx')).AgentsReport,
  () => <Skeleton className="h-96" />,
);

/** Reports on calls, outcomes, waits and agents. */
export function ReportsPage({ tenantRef }: { tenantRef: string }) {
  const view = useReport();
  const names = useNames(tenantRef);
  const agents = view.url.get('report') === 'agents';
  return (
    <Page
      title="Reports"
      description={`Times are in your time zone (${view.zone}). Calls are counted when they started.`}
      width="wide"
      actions={<ExportReport tenantRef={tenantRef} view={view} agents={agents} />}
    >
      <Stack>
        <Tabs
          label="Reports"
          value={agents ? 'agents' : 'calls'}
          tabs={[
            { value: 'calls', label: 'Calls' },
            { value: 'agents', label: 'Agents' },
          ]}
          onValueChange={(report) => view.url.set({ report: report === 'agents' ? report : null })}
        />
        <ReportFilters view={view} names={names} periodOnly={agents} />
        {view.tooLong && (
          <Notice tone="warning" title="This period is too long">
            A report covers at most {DAYS_MAX} days. Choose a shorter period.
          </Notice>
        )}
        {agents ? (
          <>
            <AgentsReport tenantRef={tenantRef} view={view} />
            <AgentMeanings />
          </>
        ) : (
          <CallsReport tenantRef={tenantRef} view={view} />
        )}
      </Stack>
    </Page>
  );
}
