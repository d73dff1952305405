'use client';

import {
  Badge,
  ButtonLink,
  EmptyState,
  Page,
  Section,
  Skeleton,
  Table,
  TextLink,
  type Column,
} from '@clarion/ui';
import { Network, Plus } from 'lucide-react';
import { ReadProblem } from '#lib/dashboard/edit/ReadProblem.tsx';
import type { OwnTrunk, SelfService, Trunk } from '#lib/dashboard/edit/resources.ts';
import { useGet } from '#lib/dashboard/queries.ts';
import { isOwn, trunkHref } from '#lib/dashboard/trunks/addresses.ts';
import { NextStepText } from '#lib/dashboard/trunks/NextStepText.tsx';
import { TrunkConnection } from '#lib/dashboard/trunks/TrunkConnection.tsx';
import { TrunkStatusBadge } from '#lib/dashboard/trunks/TrunkStatusBadge.tsx';
import { nextStep, selfServiceTexts, trunkStatusTexts } from '#lib/dashboard/trunks/trunk-status.ts';
import { useLinesOfTrunks } from '#lib/dashboard/trunks/use-lines-of-trunks.ts';

const POLL_MS = 15_000;

export function TrunksPage() {
  const { data, error, refetch } = useGet('/v1/sip-trunks', {}, { refetchInterval: POLL_MS });
  const linesOf = useLinesOfTrunks();
  const own = data?.trunks.filter(isOwn);
  const platform = data?.trunks.filter((trunk) => !isOwn(trunk));
  const add = data !== undefined && data.selfService !== 'OFF' && (
    <ButtonLink tone="accent" href="/app/trunks/new" icon={<Plus className="size-4" aria-hidden />}>
      Add a trunk
    </ButtonLink>
  );
  return (
    <Page
      title="SIP trunks"
      description={
        <>
          The connections to the carriers that provide your numbers.{' '}
          <TextLink href="/docs/guides/sip-trunks">How trunks work</TextLink>
        </>
      }
      actions={add}
    >
      {error !== null ? (
        <ReadProblem what="The trunks" problem={error} onRetry={() => void refetch()} />
      ) : (
        <>
          <Section
            title="Your trunks"
            description={
              data === undefined ? (
                <Skeleton className="my-1 max-w-96" />
              ) : (
                <>
                  <span className="font-medium text-ink">{selfServiceTexts[data.selfService].label}.</span>{' '}
                  {selfServiceTexts[data.selfService].meaning}
                </>
              )
            }
          >
            <Table
              label="Your trunks"
              columns={ownColumns(data?.selfService ?? 'APPROVAL', linesOf)}
              rows={own}
              rowKey={({ id }) => id}
              rowHref={trunkHref}
              stacked
              empty={
                <EmptyState icon={<Network />} title="No trunks of your own yet" action={add}>
                  A SIP trunk connects this service to a carrier: the carrier sends it the calls to your
                  numbers, and the calls of your agents go out through the carrier.
                  {data?.selfService === 'OFF'
                    ? ' Trunks of this account are set up by the operator of this service: ask them for one.'
                    : ' Add one with the details that your carrier gave you. It takes about five minutes.'}
                </EmptyState>
              }
            />
          </Section>
          {platform !== undefined && platform.length > 0 && (
            <Section
              title="Platform trunks"
              description="Shared trunks of the operator. Your lines may use them as they are."
            >
              <Table
                label="Platform trunks"
                columns={platformColumns(linesOf)}
                rows={platform}
                rowKey={({ id }) => id}
                stacked
                empty={null}
              />
            </Section>
          )}
        </>
      )}
    </Page>
  );
}

type LinesOf = ReturnType<typeof useLinesOfTrunks>;

const linesColumn = <T extends Trunk>(linesOf: LinesOf): Column<T> => ({
  key: 'lines',
  header: 'Lines',
  align: 'end',
  cell: ({ id }) => linesOf(id)?.length ?? '',
});

const ownColumns = (selfService: SelfService, linesOf: LinesOf): Column<OwnTrunk>[] => [
  {
    key: 'name',
    header: 'Trunk',
    cell: ({ name, host, port }) => (
      <span className="flex min-w-0 flex-col">
        <span className="truncate font-medium text-ink">{name}</span>
        <span className="truncate font-mono text-xs font-normal text-muted">
          {host}:{port}
        </span>
      </span>
    ),
  },
  {
    key: 'status',
    header: 'Status',
    cell: (trunk) => <TrunkStatusBadge status={trunk.status} />,
  },
  { key: 'connection', header: 'Carrier', cell: (trunk) => <TrunkConnection trunk={trunk} /> },
  linesColumn(linesOf),
  {
    key: 'next',
    header: 'Next step',
    cell: (trunk) => <NextStepText step={nextStep(trunk, selfService, linesOf(trunk.id)?.length)} />,
  },
];

const platformColumns = (linesOf: LinesOf): Column<Trunk>[] => [
  {
    key: 'name',
    header: 'Trunk',
    cell: ({ name }) => (
      <span className="flex flex-wrap items-center gap-2 font-medium text-ink">
        {name}
        <Badge>Platform</Badge>
      </span>
    ),
  },
  { key: 'status', header: 'Status', cell: ({ status }) => <TrunkStatusBadge status={status} /> },
  {
    key: 'meaning',
    header: 'What it means',
    hideBelow: 'sm',
    cell: ({ status }) => <span className="text-muted">{trunkStatusTexts[status].meaning}</span>,
  },
  linesColumn(linesOf),
];
