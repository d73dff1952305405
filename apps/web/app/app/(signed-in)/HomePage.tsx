'use client';

import { ErrorState, Page, Section, Stack, Stat, StatRow, TextLink } from '@clarion/ui';
import { formatDuration } from '@clarion/ui';
import { useMe } from '#lib/dashboard/me.tsx';
import { tenantHome } from '#lib/dashboard/navigation.tsx';
import { useGet } from '#lib/dashboard/queries.ts';
import type { Answer } from '#lib/dashboard/request.ts';
import { useTenant } from '#lib/dashboard/use-tenant.ts';
import { AttentionList } from './home/AttentionList.tsx';
import { GoLive } from './home/GoLive.tsx';
import { TestCallGuide, type DemoCalls } from './home/TestCallGuide.tsx';
import { LastDay } from './home/LastDay.tsx';
import { TenantsNow } from './home/TenantsNow.tsx';

export type Overview = Answer<'GET', '/v1/overview'>['overview'];

const OVERVIEW_EVERY_MS = 5_000;

/** The current figures, what needs attention, and the go-live checklist. */
export function HomePage({ demo }: { demo: DemoCalls | null }) {
  const me = useMe();
  const { ref: tenantRef } = useTenant();
  const { data, error, refetch } = useGet('/v1/overview', {}, { refetchInterval: OVERVIEW_EVERY_MS });
  const overview = data?.overview;
  // The figures cover every tenant that the user may see, whichever one is selected.
  const scoped = (title: string) =>
    overview && overview.tenants.length > 1 ? `${title}, all tenants` : title;
  return (
    <Page
      title={`Hello, ${firstName(me.name)}`}
      description={`The current state of ${me.consumer.name} and what needs your attention.`}
    >
      {error && !overview ? (
        <ErrorState
          title="The figures could not be loaded"
          detail={error.message}
          {...(error.requestId !== null && { requestId: error.requestId })}
          onRetry={() => void refetch()}
        />
      ) : (
        <Stack gap="lg">
          {demo !== null && tenantRef !== null && me.kind === 'STAFF' && me.may('manage') && (
            <TestCallGuide tenantRef={tenantRef} demo={demo} />
          )}
          <Section
            title={scoped('Now')}
            actions={
              tenantRef !== null && (
                <TextLink href={`${tenantHome(tenantRef)}/live`}>Open the live board</TextLink>
              )
            }
          >
            <Now overview={overview} />
          </Section>
          <AttentionList attention={overview?.attention} />
          <LastDay
            title={scoped('Last 24 hours')}
            lastDay={overview?.lastDay}
            callsHref={tenantRef === null ? null : `${tenantHome(tenantRef)}/calls`}
          />
          {overview && overview.tenants.length > 1 && <TenantsNow tenants={overview.tenants} />}
          {me.may('manage') && <GoLive tenantRef={tenantRef} />}
        </Stack>
      )}
    </Page>
  );
}

function Now({ overview }: { overview: Overview | undefined }) {
  const now = overview?.now;
  const figure = (value: number | undefined) => value ?? '–';
  const longest = now?.longestWaitSeconds ?? null;
  return (
    <StatRow>
      <Stat label="Live calls" value={figure(now?.liveCalls)} />
      <Stat
        label="Callers waiting"
        value={figure(now?.waiting)}
        tone={now && now.waiting > 0 ? 'warning' : 'neutral'}
        hint={longest === null ? 'No one waiting' : `Longest ${formatDuration(longest)}`}
      />
      <Stat label="Agents available" value={figure(now?.agents.available)} />
      <Stat label="Agents on a call" value={figure(now?.agents.onCall)} />
      <Stat label="Agents away" value={figure(now?.agents.offline)} />
    </StatRow>
  );
}

const firstName = (name: string) => name.split(/\s+/)[0] ?? name;
