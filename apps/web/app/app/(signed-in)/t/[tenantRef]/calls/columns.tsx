import {
  Badge,
  ChannelBadge,
  customerLabel,
  customerNumber,
  Duration,
  RelativeTime,
  type Column,
} from '@clarion/ui';
import { PhoneIncoming, PhoneOutgoing } from 'lucide-react';
import { outcomeLabel, type Call } from '#lib/dashboard/calls/outcome-labels.ts';
import type { Names } from '#lib/dashboard/calls/use-names.ts';

export const columnsOf = (names: Names): Column<Call>[] => [
  { key: 'customer', header: 'Customer', cell: (call) => <Customer call={call} /> },
  { key: 'outcome', header: 'Outcome', cell: (call) => <Outcome call={call} /> },
  { key: 'agent', header: 'Agent', cell: ({ agentRef }) => names.agentByRef(agentRef) ?? <NoAgent /> },
  {
    key: 'route',
    header: 'Queue or line',
    hideBelow: 'lg',
    cell: ({ queueRef, channelRef }) => (
      <span className="flex min-w-0 flex-col">
        <span className="truncate">{names.queueByRef(queueRef) ?? names.lineByRef(channelRef)}</span>
        {queueRef !== null && (
          <span className="truncate text-sm text-muted">{names.lineByRef(channelRef)}</span>
        )}
      </span>
    ),
  },
  {
    key: 'wait',
    header: 'Waited',
    align: 'end',
    hideBelow: 'md',
    cell: ({ queuedAt, durations }) => <Duration seconds={queuedAt === null ? null : durations.wait} clock />,
  },
  {
    key: 'talk',
    header: 'Talked',
    align: 'end',
    cell: ({ answeredAt, durations }) => (
      <Duration seconds={answeredAt === null ? null : durations.call} clock />
    ),
  },
  {
    key: 'at',
    header: 'Started',
    align: 'end',
    nowrap: true,
    cell: ({ createdAt }) => <StartTime at={createdAt} />,
  },
];

function Customer({ call: { customer, direction, channelType } }: { call: Call }) {
  const Icon = direction === 'INBOUND' ? PhoneIncoming : PhoneOutgoing;
  const first = customerLabel(customer, 'Erased customer');
  return (
    <span className="flex min-w-0 items-center gap-2.5">
      <Icon className="size-4 shrink-0 text-muted" aria-hidden />
      <span className="sr-only">{direction === 'INBOUND' ? 'From' : 'To'}</span>
      <span className="flex min-w-0 flex-col">
        <span className="flex min-w-0 items-center gap-1.5">
          <span className="truncate font-medium text-ink">{first}</span>
          <ChannelBadge channel={channelType} compact />
        </span>
        {customer.name !== null && (
          <span className="truncate text-sm font-normal text-muted tabular-nums">
            {customerNumber(customer)}
          </span>
        )}
      </span>
    </span>
  );
}

function Outcome({ call }: { call: Call }) {
  const { title, tone, live } = outcomeLabel(call);
  return (
    <Badge tone={tone} dot={live}>
      {title}
    </Badge>
  );
}

const NoAgent = () => <span className="text-muted">No agent</span>;

const dayAndTime = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});

/** The time, and how long ago it was. */
function StartTime({ at }: { at: string }) {
  return (
    <span className="flex flex-col items-end">
      <time dateTime={at} suppressHydrationWarning className="tabular-nums">
        {dayAndTime.format(new Date(at))}
      </time>
      <RelativeTime at={at} className="text-sm text-muted max-sm:hidden" />
    </span>
  );
}
