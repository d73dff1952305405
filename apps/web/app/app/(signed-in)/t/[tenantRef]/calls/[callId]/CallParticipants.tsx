import { Badge, customerLabel, DateTime, Definition, Section, Table, type Column } from '@clarion/ui';
import { qualityLabel } from '#lib/dashboard/calls/quality-labels.ts';
import type { CallDetail } from '#lib/dashboard/calls/timeline.ts';
import type { Names } from '#lib/dashboard/calls/use-names.ts';

type Participant = CallDetail['participants'][number];
type Leg = CallDetail['legs'][number];
type Numbered<T> = T & { at: number };

const kinds: Record<Participant['kind'], string> = {
  CUSTOMER: 'Customer',
  AGENT: 'Agent',
  SUPERVISOR: 'Supervisor',
  OPERATOR: 'Operator',
  DASHBOARD: 'Monitor (dashboard)',
};
const reasons: Record<NonNullable<Participant['leaveReason']>, string> = {
  ENDED: 'Call ended',
  TRANSFERRED: 'Transferred the call',
  MONITOR_STOPPED: 'Stopped listening',
};

interface CallPeopleProps {
  detail: CallDetail;
  names: Names;
}

/** The participants, and the call quality of each side. */
export function CallParticipants({ detail, names }: CallPeopleProps) {
  const customer = detail.call.customer;
  const nameOf = ({ kind, agentId, agentRef, listenerName }: Participant) =>
    kind === 'CUSTOMER'
      ? customerLabel(customer, 'Erased customer')
      : (names.agentById(agentId) ?? agentRef ?? listenerName ?? kinds[kind]);
  const people: Column<Numbered<Participant>>[] = [
    { key: 'name', header: 'Name', cell: (person) => <span className="font-medium">{nameOf(person)}</span> },
    { key: 'role', header: 'Role', cell: ({ kind }) => kinds[kind] },
    {
      key: 'joined',
      header: 'Joined',
      nowrap: true,
      cell: ({ joinedAt }) => <DateTime at={joinedAt} seconds />,
    },
    { key: 'left', header: 'Left', nowrap: true, cell: ({ leftAt }) => <DateTime at={leftAt} seconds /> },
    {
      key: 'reason',
      header: 'Reason',
      hideBelow: 'md',
      cell: ({ leaveReason }) => (leaveReason === null ? 'In the call' : reasons[leaveReason]),
    },
  ];
  return (
    <>
      <Section title="Participants">
        <Table
          label="Participants of the call"
          columns={people}
          rows={detail.participants.map((person, at) => ({ ...person, at }))}
          rowKey={({ at }) => at}
          stacked
          empty={<p className="px-5 py-6 text-md text-muted">No one was connected in this call.</p>}
        />
      </Section>
      <Section
        title="Call quality"
        description="The audio that the service received from each side, over the whole call."
      >
        <Table
          label="Call quality by side"
          columns={sound(names)}
          rows={detail.legs.map((leg, at) => ({ ...leg, at }))}
          rowKey={({ at }) => at}
          stacked
          empty={<p className="px-5 py-6 text-md text-muted">There was no audio in this call.</p>}
        />
      </Section>
    </>
  );
}

const sides: Record<Leg['type'], string> = { CUSTOMER: 'Customer', AGENT: 'Agent', MONITOR: 'Monitor' };

const sound = (names: Names): Column<Numbered<Leg>>[] => [
  {
    key: 'side',
    header: 'Side',
    cell: ({ type, agentId }) => (
      <span className="font-medium">{names.agentById(agentId) ?? sides[type]}</span>
    ),
  },
  {
    key: 'sound',
    header: (
      <Definition term="Quality">
        The mean opinion score (MOS), estimated from packet loss, jitter and delay with the E-model of ITU-T
        G.107. It ranges from 1 (unusable) to 4.5 (the best a phone can be).
      </Definition>
    ),
    cell: ({ quality }) =>
      quality === null ? (
        <span className="text-muted">Not measured</span>
      ) : (
        <span className="inline-flex items-center gap-2">
          <Badge tone={qualityLabel(quality.mos).tone}>{qualityLabel(quality.mos).word}</Badge>
          <span className="text-muted tabular-nums">{quality.mos.toFixed(1)}</span>
        </span>
      ),
  },
  {
    key: 'loss',
    header: (
      <Definition term="Packet loss">
        The share of audio packets that did not arrive. Loss above 2% is audible.
      </Definition>
    ),
    align: 'end',
    cell: ({ quality }) => quality && `${quality.lossPercent.toFixed(1)}%`,
  },
  {
    key: 'jitter',
    header: (
      <Definition term="Jitter">
        The variation in packet arrival times. Above 30 ms, speech breaks up.
      </Definition>
    ),
    align: 'end',
    cell: ({ quality }) => quality && `${Math.round(quality.jitterMs)} ms`,
  },
  {
    key: 'delay',
    header: (
      <Definition term="Delay">
        The round-trip time between the service and this side. Above 300 ms, people start to talk over each
        other.
      </Definition>
    ),
    align: 'end',
    hideBelow: 'md',
    cell: ({ quality }) =>
      quality === null || quality.roundTripMs === null ? '' : `${quality.roundTripMs} ms`,
  },
  {
    key: 'codec',
    header: 'Codec',
    align: 'end',
    hideBelow: 'md',
    cell: ({ quality }) => quality?.codec ?? '',
  },
];
