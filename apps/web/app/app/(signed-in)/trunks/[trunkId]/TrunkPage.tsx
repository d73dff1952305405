'use client';

import { onDemand, Page, Skeleton, Split, Tabs } from '@clarion/ui';
import { ReadProblem } from '#lib/dashboard/edit/ReadProblem.tsx';
import type { OwnTrunk, SelfService } from '#lib/dashboard/edit/resources.ts';
import { useMe } from '#lib/dashboard/me.tsx';
import { useGet } from '#lib/dashboard/queries.ts';
import { isOwn } from '#lib/dashboard/trunks/addresses.ts';
import { TrunkStatusBadge } from '#lib/dashboard/trunks/TrunkStatusBadge.tsx';
import { isEditable } from '#lib/dashboard/trunks/trunk-status.ts';
import { useLinesOfTrunks } from '#lib/dashboard/trunks/use-lines-of-trunks.ts';
import { useUrlState } from '#lib/dashboard/use-url-state.ts';
import { Connection } from './Connection.tsx';
import { ForCarrier, type ServiceAddresses } from './ForCarrier.tsx';
import { LinesOfTrunk } from './LinesOfTrunk.tsx';
import { TrunkActions } from './TrunkActions.tsx';
import { TrunkState } from './TrunkState.tsx';
import { useDiagnostics } from './use-diagnostics.ts';

const FirstCall = onDemand(
  async () => (await import('./FirstCall.tsx')).FirstCall,
  () => <Skeleton className="h-40" />,
);
const CheckUp = onDemand(
  async () => (await import('./CheckUp.tsx')).CheckUp,
  () => <Skeleton className="h-32" />,
);
const RefusedCalls = onDemand(
  async () => (await import('./RefusedCalls.tsx')).RefusedCalls,
  () => <Skeleton className="h-64" />,
);
const CarrierPrices = onDemand(
  async () => (await import('./CarrierPrices.tsx')).CarrierPrices,
  () => <Skeleton className="h-48" />,
);
const TrunkSettings = onDemand(
  async () => (await import('./TrunkSettings.tsx')).TrunkSettings,
  () => <Skeleton className="h-96" />,
);

/** The operator may decide, and the carrier may go down, while the page is open. */
const POLL_MS = 10_000;

const back = { label: 'SIP trunks', href: '/app/trunks' };

interface TrunkPageProps {
  /** As it is in the URL. */
  trunkId: string;
  service: ServiceAddresses;
}

export function TrunkPage({ trunkId, service }: TrunkPageProps) {
  const { data, error, refetch } = useGet('/v1/sip-trunks', {}, { refetchInterval: POLL_MS });
  const trunk = data?.trunks.find(({ id }) => String(id) === trunkId);
  if (error !== null) {
    return (
      <Page title="SIP trunk" back={back}>
        <ReadProblem what="The trunk" problem={error} onRetry={() => void refetch()} />
      </Page>
    );
  }
  if (data === undefined) {
    return (
      <Page title={<Skeleton className="h-7 w-40" />} back={back}>
        <Skeleton className="h-20" />
        <Skeleton className="h-96" />
      </Page>
    );
  }
  if (trunk === undefined || !isOwn(trunk)) {
    return (
      <Page title={trunk?.name ?? 'Trunk not found'} back={back}>
        <p className="text-muted">
          {trunk === undefined
            ? 'This trunk may have been deleted, or the address may be wrong. Check the list of trunks.'
            : 'This is a shared trunk of the operator. Your lines may use it as it is.'}
        </p>
      </Page>
    );
  }
  return <OwnTrunkPage trunk={trunk} selfService={data.selfService} service={service} />;
}

interface OwnTrunkPageProps {
  trunk: OwnTrunk;
  selfService: SelfService;
  service: ServiceAddresses;
}

function OwnTrunkPage({ trunk, selfService, service }: OwnTrunkPageProps) {
  const me = useMe();
  const url = useUrlState();
  const lines = useLinesOfTrunks()(trunk.id);
  const diagnostics = useDiagnostics(trunk, lines);
  const { data, isFirst } = diagnostics;
  const editable = isEditable(trunk, selfService);
  const openField = (field: string) => url.set({ tab: 'settings', field });
  const overview = (
    <Split
      aside={
        <>
          <Connection trunk={trunk} diagnostics={data} />
          <ForCarrier trunk={trunk} service={service} />
          <LinesOfTrunk lines={lines} />
          {me.may('own') && <CarrierPrices trunk={trunk} />}
        </>
      }
    >
      <TrunkState trunk={trunk} selfService={selfService} lines={lines} onField={openField} />
      {data !== undefined && isFirst && (
        <FirstCall trunk={trunk} diagnostics={data} lines={lines} editable={editable} onField={openField} />
      )}
      <CheckUp trunk={trunk} onField={openField} />
      {diagnostics.error !== null ? (
        <ReadProblem
          what="The diagnostics"
          problem={diagnostics.error}
          onRetry={() => void diagnostics.refetch()}
        />
      ) : (
        <RefusedCalls trunkId={trunk.id} refusals={data?.refusals} onField={openField} />
      )}
    </Split>
  );
  return (
    <Page
      title={trunk.name}
      mark={<TrunkStatusBadge status={trunk.status} />}
      description={
        <code className="font-mono text-sm">
          {trunk.host}:{trunk.port} {trunk.transport}
        </code>
      }
      back={back}
      actions={<TrunkActions trunk={trunk} selfService={selfService} lines={lines} />}
      width="wide"
    >
      <Tabs
        label="Trunk"
        value={url.get('tab') === 'settings' ? 'settings' : 'overview'}
        onValueChange={(tab) => url.set({ tab: tab === 'settings' ? tab : null, field: null })}
        tabs={[
          { value: 'overview', label: 'Overview', content: overview },
          {
            value: 'settings',
            label: 'Settings',
            content: (
              <TrunkSettings
                trunk={trunk}
                editable={editable}
                selfService={selfService}
                wanted={url.get('field') || null}
              />
            ),
          },
        ]}
      />
    </Page>
  );
}
