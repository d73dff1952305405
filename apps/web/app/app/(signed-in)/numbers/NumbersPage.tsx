'use client';

import {
  Badge,
  Button,
  EmptyState,
  Page,
  RelativeTime,
  SelectField,
  Table,
  TextLink,
  type Column,
} from '@clarion/ui';
import { Hash } from 'lucide-react';
import { ReadProblem } from '#lib/dashboard/edit/ReadProblem.tsx';
import { useMe } from '#lib/dashboard/me.tsx';
import { useGet } from '#lib/dashboard/queries.ts';
import { lineHref, trunkHref } from '#lib/dashboard/trunks/addresses.ts';
import type { PhoneNumber } from '#lib/dashboard/trunks/use-lines-of-trunks.ts';
import { useUrlState } from '#lib/dashboard/use-url-state.ts';

const ANY = 'any';
const statuses = [
  { value: ANY, label: 'Any status' },
  { value: 'ASSIGNED', label: 'Assigned' },
  { value: 'RELEASED', label: 'Released' },
];

export function NumbersPage() {
  const me = useMe();
  const url = useUrlState();
  const staff = me.kind === 'STAFF';
  const status =
    url.get('status') === 'ASSIGNED' || url.get('status') === 'RELEASED' ? url.get('status') : ANY;
  const tenantRef = url.get('tenant');
  const tenants = useGet('/v1/tenants', {}, { enabled: staff });
  const { data, error, refetch, isPlaceholderData } = useGet(
    '/v1/numbers',
    {
      query: {
        ...(status !== ANY && { status: status as PhoneNumber['status'] }),
        ...(tenantRef !== '' && { tenant_ref: tenantRef }),
      },
    },
    { keepPrevious: true },
  );
  const filtered = status !== ANY || tenantRef !== '';
  return (
    <Page
      title="Numbers"
      description={
        <>
          The telephone numbers of your lines, each on its trunk. Saving a line assigns its number; a number
          is released when its line is deleted or gets another number, and stays in this list.{' '}
          <TextLink href="/docs/guides/sip-trunks#numbers">Learn more</TextLink>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <div className="grid grid-cols-2 items-end gap-3 sm:flex sm:[&>*]:w-48">
          <SelectField
            label="Status"
            choices={statuses}
            value={status}
            onValueChange={(value) => url.set({ status: value === ANY ? null : value })}
          />
          {staff && (
            <SelectField
              label="Tenant"
              choices={[
                { value: ANY, label: 'Any tenant' },
                ...(tenants.data?.tenants ?? []).map(({ ref, name }) => ({ value: ref, label: name })),
              ]}
              value={tenantRef || ANY}
              onValueChange={(value) => url.set({ tenant: value === ANY ? null : value })}
            />
          )}
        </div>
        {error !== null ? (
          <ReadProblem what="The numbers" problem={error} onRetry={() => void refetch()} />
        ) : (
          <Table
            label="Numbers"
            columns={columnsFor(staff, me.may('provision'))}
            rows={data?.numbers}
            rowKey={({ id }) => id}
            stacked
            className={isPlaceholderData ? 'opacity-60' : ''}
            empty={
              filtered ? (
                <EmptyState
                  title="No matching numbers"
                  action={
                    <Button onClick={() => url.set({ status: null, tenant: null })}>Clear filters</Button>
                  }
                >
                  No numbers match these filters.
                </EmptyState>
              ) : (
                <EmptyState icon={<Hash />} title="No numbers yet">
                  Numbers are not added here: create a line with a number of your carrier, and it appears in
                  this list.
                </EmptyState>
              )
            }
          />
        )}
      </div>
    </Page>
  );
}

function columnsFor(staff: boolean, seesTrunks: boolean): Column<PhoneNumber>[] {
  return [
    {
      key: 'number',
      header: 'Number',
      nowrap: true,
      cell: ({ number }) => <span className="font-medium text-ink tabular-nums">{number}</span>,
    },
    {
      key: 'status',
      header: 'Status',
      cell: ({ status, releasedAt }) =>
        status === 'ASSIGNED' ? (
          <Badge tone="positive" dot>
            Assigned
          </Badge>
        ) : (
          <span className="flex flex-wrap items-center gap-x-2">
            <Badge dot>Released</Badge>
            {releasedAt !== null && (
              <span className="text-sm text-muted">
                <RelativeTime at={releasedAt} />
              </span>
            )}
          </span>
        ),
    },
    {
      key: 'line',
      header: 'Line',
      cell: (number) => {
        const href = lineHref(number);
        return href === null ? (
          <span className="text-muted">None</span>
        ) : (
          <TextLink href={href}>{number.channelRef}</TextLink>
        );
      },
    },
    ...(staff
      ? [
          {
            key: 'tenant',
            header: 'Tenant',
            cell: ({ tenantRef }: PhoneNumber) => tenantRef ?? <span className="text-muted">Deleted</span>,
          },
        ]
      : []),
    {
      key: 'trunk',
      header: 'Trunk',
      cell: ({ sipTrunkId, trunkName, origin }) =>
        seesTrunks && origin === 'BYOC' ? (
          <TextLink href={trunkHref({ id: sipTrunkId })}>{trunkName}</TextLink>
        ) : (
          trunkName
        ),
    },
    {
      key: 'verified',
      header: 'First call',
      hideBelow: 'md',
      cell: ({ verifiedAt }) =>
        verifiedAt === null ? <span className="text-muted">None yet</span> : <RelativeTime at={verifiedAt} />,
    },
  ];
}
