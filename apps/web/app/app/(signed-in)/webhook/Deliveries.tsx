'use client';

import { Button, EmptyState, RelativeTime, SelectField, Table, type Column, whenOpen } from '@clarion/ui';
import { Webhook as WebhookIcon } from 'lucide-react';
import { ReadProblem } from '#lib/dashboard/edit/ReadProblem.tsx';
import type { WebhookEvent } from '#lib/dashboard/edit/resources.ts';
import { useGet } from '#lib/dashboard/queries.ts';
import { useUrlState } from '#lib/dashboard/use-url-state.ts';
import { EventStatusBadge } from './EventStatusBadge.tsx';
import { eventTypeList, statusLabels, type EventStatus, type EventType } from './event-types.ts';
import { RedeliverFailed } from './RedeliverFailed.tsx';

const EventDrawer = whenOpen(
  async () => (await import('./EventDrawer.tsx')).EventDrawer,
  ({ eventId }) => eventId !== null,
);

const POLL_MS = 4_000;
const PAGE = 50;
const ANY = 'any';
const MS_PER_HOUR = 3_600_000;

const spans = [
  { value: ANY, label: 'Any time' },
  { value: '1', label: 'Last hour' },
  { value: '24', label: 'Last 24 hours' },
  { value: '168', label: 'Last 7 days' },
];

/** The events and the state of their delivery. */
export function Deliveries() {
  const url = useUrlState();
  const tenants = useGet('/v1/tenants', {});
  const status = asStatus(url.get('status'));
  const type = eventTypeList.find((one) => one === url.get('type'));
  const tenantRef = url.get('tenant');
  const before = Number(url.get('before')) || null;
  const { data, error, refetch, isPlaceholderData } = useGet(
    '/v1/events',
    {
      query: {
        limit: PAGE,
        ...(status !== undefined && { status }),
        ...(type !== undefined && { type }),
        ...(tenantRef !== '' && { tenant_ref: tenantRef }),
        ...since(url.get('since')),
        ...(before !== null && { before_id: before }),
      },
    },
    { refetchInterval: before === null ? POLL_MS : false, keepPrevious: true },
  );
  const filter = (name: string) => (value: string) =>
    url.set({ [name]: value === ANY ? null : value, before: null });
  const filtered = ['status', 'type', 'tenant', 'since'].some((name) => url.get(name) !== '');
  const last = data?.events.length === PAGE ? data.nextBeforeId : null;
  return (
    <div className="flex flex-col gap-3">
      <div className="grid grid-cols-2 items-end gap-3 lg:flex lg:[&>*]:w-48">
        <SelectField
          label="Status"
          choices={[
            { value: ANY, label: 'Any status' },
            ...Object.entries(statusLabels).map(([value, label]) => ({ value, label })),
          ]}
          value={status ?? ANY}
          onValueChange={filter('status')}
        />
        <SelectField
          label="Type"
          choices={[
            { value: ANY, label: 'Any type' },
            ...eventTypeList.map((value) => ({ value, label: value })),
          ]}
          value={type ?? ANY}
          onValueChange={filter('type')}
        />
        <SelectField
          label="Tenant"
          choices={[
            { value: ANY, label: 'Any tenant' },
            ...(tenants.data?.tenants ?? []).map(({ ref, name }) => ({ value: ref, label: name })),
          ]}
          value={tenantRef || ANY}
          onValueChange={filter('tenant')}
        />
        <SelectField
          label="Time"
          choices={spans}
          value={url.get('since') || ANY}
          onValueChange={filter('since')}
        />
        <RedeliverFailed />
      </div>
      {error !== null ? (
        <ReadProblem what="The deliveries" problem={error} onRetry={() => void refetch()} />
      ) : (
        <Table
          label="Deliveries"
          columns={columns}
          rows={data?.events}
          rowKey={({ eventId }) => eventId}
          onRowOpen={({ eventId }) => url.set({ event: eventId })}
          current={url.get('event')}
          stacked
          className={isPlaceholderData ? 'opacity-60' : ''}
          empty={
            filtered || before !== null ? (
              <EmptyState
                title="No matching events"
                action={
                  <Button
                    onClick={() =>
                      url.set({ status: null, type: null, tenant: null, since: null, before: null })
                    }
                  >
                    Clear filters
                  </Button>
                }
              >
                No events match these filters.
              </EmptyState>
            ) : (
              <EmptyState icon={<WebhookIcon />} title="No events yet">
                Each call creates events, for example when it starts, is answered and ends. Send a test event
                to see one now.
              </EmptyState>
            )
          }
          {...((before !== null || last !== null) && {
            footer: (
              <div className="flex justify-between gap-2">
                <Button size="sm" disabled={before === null} onClick={() => url.set({ before: null })}>
                  Newest
                </Button>
                <Button
                  size="sm"
                  disabled={last === null}
                  onClick={() => url.set({ before: String(last ?? '') })}
                >
                  Older
                </Button>
              </div>
            ),
          })}
        />
      )}
      <EventDrawer eventId={url.get('event') || null} onClose={() => url.set({ event: null })} />
    </div>
  );
}

const asStatus = (text: string): EventStatus | undefined =>
  text in statusLabels ? (text as EventStatus) : undefined;

/** Rounded to the minute, so that the query and its cache stay the same. */
function since(hours: string): { from?: Date } {
  const wanted = Number(hours);
  if (!(wanted > 0)) return {};
  const minute = Math.floor(Date.now() / 60_000) * 60_000;
  return { from: new Date(minute - wanted * MS_PER_HOUR) };
}

const columns: Column<WebhookEvent>[] = [
  {
    key: 'type',
    header: 'Event',
    cell: ({ eventType }: { eventType: EventType }) => <code className="font-mono text-sm">{eventType}</code>,
  },
  { key: 'status', header: 'Status', cell: (event) => <EventStatusBadge event={event} /> },
  {
    key: 'answer',
    header: 'Last response',
    cell: ({ attempts }) => {
      const last = attempts.at(-1);
      if (last === undefined) return <span className="text-muted">None</span>;
      return (
        <span className="tabular-nums">
          {last.status ?? 'No response'} <span className="text-muted">in {last.durationMs} ms</span>
        </span>
      );
    },
  },
  {
    key: 'attempts',
    header: 'Attempts',
    align: 'end',
    hideBelow: 'md',
    cell: ({ attempts }) => attempts.length,
  },
  {
    key: 'tenant',
    header: 'Tenant',
    hideBelow: 'lg',
    cell: ({ tenantRef }) =>
      tenantRef === null ? (
        <span className="text-muted">None</span>
      ) : (
        <code className="font-mono text-sm">{tenantRef}</code>
      ),
  },
  { key: 'at', header: 'Time', cell: ({ occurredAt }) => <RelativeTime at={occurredAt} /> },
];
