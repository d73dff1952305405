import { Bot, Phone, PhoneOff, Users } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../actions/Button.tsx';
import { TextLink } from '../actions/TextLink.tsx';
import { Avatar } from '../data/Avatar.tsx';
import { Badge } from '../data/Badge.tsx';
import { ChannelBadge } from '../data/ChannelBadge.tsx';
import { CheckList } from '../data/CheckList.tsx';
import { CodeBlock, KeyValueCode } from '../data/CodeBlock.tsx';
import { Definition } from '../data/Definition.tsx';
import { JsonView } from '../data/JsonView.tsx';
import { Meter, ProgressBar } from '../data/Meter.tsx';
import { LoadMore, Pagination } from '../data/Pagination.tsx';
import { Sparkline } from '../data/Sparkline.tsx';
import { Stat, StatRow } from '../data/Stat.tsx';
import { Table, type Column } from '../data/Table.tsx';
import { DateTime, Duration, LiveTimer, RelativeTime } from '../data/Time.tsx';
import { Timeline } from '../data/Timeline.tsx';
import { EmptyState } from '../feedback/EmptyState.tsx';
import { ignore, LONG, show, wide, type Story } from './support.tsx';

export default { title: 'Data', ...wide };

interface Call {
  id: number;
  name: string;
  queue: string;
  state: 'Waiting' | 'Answered' | 'Missed';
  seconds: number;
}

const calls: Call[] = [
  { id: 1, name: 'Grace Hopper', queue: 'Sales', state: 'Waiting', seconds: 42 },
  { id: 2, name: '+44 20 7183 8750', queue: 'Support', state: 'Answered', seconds: 754 },
  { id: 3, name: LONG, queue: LONG, state: 'Missed', seconds: 3 },
  { id: 4, name: 'Ada Lovelace', queue: 'Night service', state: 'Answered', seconds: 4_210 },
];
const tone = { Waiting: 'warning', Answered: 'positive', Missed: 'negative' } as const;
const columns: Column<Call>[] = [
  {
    key: 'name',
    header: 'Caller',
    cell: ({ name }) => <span className="[overflow-wrap:anywhere]">{name}</span>,
    sort: { direction: 'asc', onSort: ignore },
  },
  {
    key: 'queue',
    header: 'Queue',
    cell: ({ queue }) => <span className="line-clamp-2 wrap-anywhere">{queue}</span>,
    hideBelow: 'md',
  },
  {
    key: 'state',
    header: 'State',
    cell: ({ state }) => (
      <Badge tone={tone[state]} dot>
        {state}
      </Badge>
    ),
  },
  {
    key: 'seconds',
    header: 'Length',
    align: 'end',
    nowrap: true,
    cell: ({ seconds }) => <Duration seconds={seconds} />,
    sort: { direction: null, onSort: ignore },
  },
];
const empty = (
  <EmptyState
    icon={<Phone aria-hidden />}
    title="No calls yet"
    action={<Button tone="accent">Place a test call</Button>}
  >
    Calls appear here while they ring. Place a test call to see one.
  </EmptyState>
);
const table = { label: 'Calls', columns, rowKey: ({ id }: Call) => id, empty };

export const TableOfLinks: Story = show(() => (
  <Table
    {...table}
    rows={calls}
    rowHref={({ id }) => `#${id}`}
    footer={<Pagination page={2} pageCount={9} onPage={ignore} />}
  />
));
export const TableThatOpens: Story = show(() => <OpeningTable />);
export const TableLoading: Story = show(() => <Table {...table} rows={undefined} />);
export const TableEmpty: Story = show(() => <Table {...table} rows={[]} />);
export const TableStacked: Story = show(() => (
  <Table {...table} rows={calls} stacked onRowOpen={ignore} footer={<LoadMore onMore={ignore} />} />
));
export const TableKeepingAColumn: Story = show(() => (
  <Table
    {...table}
    columns={columns.map((column) =>
      column.key === 'queue'
        ? { ...column, hideBelow: 'sm' as const, keepIn: ({ id }: Call) => id === 2 }
        : column,
    )}
    rows={calls}
    stacked
  />
));
export const TableTooWide: Story = show(() => (
  <Table
    {...table}
    rows={calls.slice(0, 2)}
    columns={[
      ...columns,
      ...Array.from({ length: 8 }, (_, index) => ({
        key: `${index}`,
        header: `Measure ${index + 1}`,
        cell: () => '12 s',
        align: 'end' as const,
      })),
    ]}
    footer={<LoadMore onMore={ignore} done />}
  />
));

function OpeningTable() {
  const [open, setOpen] = useState<number>(2);
  return (
    <Table
      {...table}
      rows={calls}
      current={open}
      onRowOpen={({ id }) => setOpen(id)}
      footer={<LoadMore onMore={ignore} busy />}
    />
  );
}

export const Badges: Story = show(() => (
  <div className="flex max-w-full flex-wrap items-center gap-2">
    {(['neutral', 'accent', 'positive', 'warning', 'negative'] as const).map((one) => (
      <span key={one} className="flex gap-2">
        <Badge tone={one}>{one}</Badge>
        <Badge tone={one} dot>
          {one}
        </Badge>
      </span>
    ))}
    <Badge>{LONG}</Badge>
    <ChannelBadge channel="SIP" />
    <ChannelBadge channel="WHATSAPP" />
    <ChannelBadge channel="SIP" compact />
    <ChannelBadge channel="WHATSAPP" compact />
    <Avatar name="Ada Lovelace" size="sm" />
    <Avatar name="Ada Lovelace" />
    <Avatar name="Acme" size="lg" square />
  </div>
));

export const Figures: Story = show(() => (
  <div className="flex flex-col gap-6">
    <StatRow>
      <Stat
        label={<Definition term="Service level">Share of calls answered within 20 seconds.</Definition>}
        value="91%"
        tone="positive"
        hint={<Sparkline values={[3, 8, 4, 12, 9, 15, 14]} label="From 3 to 14 in a week" />}
      />
      <Stat
        label="Answered"
        value="1 204"
        trend={{ direction: 'up', text: '12% more than last week', tone: 'positive' }}
      />
      <Stat
        label="Abandoned"
        value="38"
        tone="negative"
        trend={{ direction: 'down', text: '3 fewer', tone: 'positive' }}
      />
      <Stat label="Cost this month" value="£1 284.50" hint="So far" />
      <Stat label="Waiting now" value="0" />
    </StatRow>
    <div className="grid max-w-md gap-5">
      <Meter label="Agents" value={40} max={50} />
      <Meter label="Concurrent calls" value={50} max={50} tone="negative" text="All in use" />
      <ProgressBar label="Copying recordings" value={62} />
      <ProgressBar label="Preparing the export" value={null} />
    </div>
  </div>
));

export const DefinitionOpen: Story = {
  ...show(() => (
    <div className="text-md">
      <Definition term="Service level">
        The share of calls answered within 20 seconds, without calls abandoned within 5 seconds.
      </Definition>
    </div>
  )),
  play: async ({ canvas, userEvent }) => userEvent.click(await canvas.findByRole('button')),
};

export const Times: Story = show(() => (
  <ul className="flex flex-col gap-2 text-md">
    <li>
      <RelativeTime at={new Date(Date.now() - 300_000)} />
    </li>
    <li>
      <RelativeTime at={new Date(Date.now() - 26 * 3_600_000)} />
    </li>
    <li>
      <RelativeTime at={new Date('2025-03-01T08:00:00Z')} />
    </li>
    <li>
      <RelativeTime at={null} />
    </li>
    <li>
      <DateTime at="2026-11-21T23:15:04Z" />
    </li>
    <li>
      <DateTime at="2026-11-21T23:15:04Z" seconds />
    </li>
    <li>
      <Duration seconds={75} /> or <Duration seconds={75} clock />
    </li>
    <li>
      <Duration seconds={null} />
    </li>
    <li>
      <LiveTimer since={Date.now() - 75_000} />
    </li>
    <li>
      <LiveTimer since={Date.now() + 30_000} until />
    </li>
  </ul>
));

export const TimelineOfCall: Story = show(() => (
  <Timeline
    className="max-w-xl"
    items={[
      {
        at: '2026-11-21T23:15:04Z',
        title: 'Inbound call',
        detail: 'From +44 20 7183 8750',
        icon: <Phone aria-hidden />,
        tone: 'accent',
      },
      { at: '2026-11-21T23:15:09Z', title: 'Waiting in Sales', icon: <Users aria-hidden /> },
      { at: '0:14', title: LONG, detail: LONG, icon: <Bot aria-hidden />, tone: 'warning' },
      { at: '2026-11-21T23:16:44Z', title: 'No agent answered' },
      {
        at: '2026-11-21T23:17:02Z',
        title: 'Ended',
        detail: 'By the caller',
        icon: <PhoneOff aria-hidden />,
        tone: 'negative',
      },
    ]}
  />
));

export const Checks: Story = show(() => (
  <CheckList
    label="Check-up"
    className="max-w-3xl"
    checks={[
      { key: 'dns', state: 'ok', title: 'DNS', text: 'sip.carrier.example has 2 addresses.' },
      {
        key: 'tls',
        state: 'warning',
        title: 'Certificate',
        text: "The carrier's certificate expires in 6 days.",
        fix: 'Ask the carrier to renew it before it expires.',
        action: <TextLink href="#docs">Learn more</TextLink>,
      },
      {
        key: 'digest',
        state: 'failed',
        title: 'Credentials',
        text: LONG,
        fix: 'Enter the username and password of the carrier.',
        action: (
          <>
            <TextLink href="#field">Edit the username</TextLink>
            <TextLink href="#docs">Learn more</TextLink>
          </>
        ),
      },
      { key: 'codecs', state: 'skipped', title: 'Codecs', text: 'The carrier does not list its codecs.' },
      { key: 'call', state: 'unknown', title: 'Call button' },
      { key: 'options', state: 'running', title: 'OPTIONS' },
    ]}
  />
));

const payload = {
  event: 'call.ended',
  data: {
    id: 17,
    answered: true,
    tags: [],
    customer: { name: null, address: '+442071838750' },
    legs: [{ seconds: 12.5 }],
  },
};

export const Code: Story = show(() => (
  <div className="flex max-w-2xl flex-col gap-5">
    <CodeBlock
      language="curl"
      text={
        'curl https://calls.example.com/v1/tenants \\\n  -H "Authorization: Bearer ck_acme_0123456789abcdef0123456789abcdef0123456789"'
      }
    />
    <CodeBlock text={LONG.repeat(3)} wrap />
    <KeyValueCode label="Account ID" text="con_01JD8K2M4ZQ0" />
    <KeyValueCode label="Signing secret" text="whsec_0123456789abcdef0123456789abcdef" secret />
    <JsonView value={payload} label="Payload" />
  </div>
));
