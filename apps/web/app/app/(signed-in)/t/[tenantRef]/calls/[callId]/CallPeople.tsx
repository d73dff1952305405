import { Badge, customerLabel, DateTime, Definition, Section, Table, type Column } from '@clarion/ui';
import { soundOf } from '../../../../../../../lib/dashboard/calls/quality-words.ts';
import type { CallDetail } from '../../../../../../../lib/dashboard/calls/timeline.ts';
import type { Names } from '../../../../../../../lib/dashboard/calls/use-names.ts';

type Participant = CallDetail['participants'][number];
type Leg = CallDetail['legs'][number];
type Numbered<T> = T & { at: number };

const kinds: Record<Participant['kind'], string> = {
  CUSTOMER: 'Customer',
  AGENT: 'Agent',
  SUPERVISOR: 'Supervisor',
  OPERATOR: 'Operator',
  DASHBOARD: 'Listens from the dashboard',
};
const reasons: Record<NonNullable<Participant['leaveReason']>, string> = {
  ENDED: 'The call ended',
  TRANSFERRED: 'Transferred the call',
  MONITOR_STOPPED: 'Stopped listening',
};

interface CallPeopleProps {
  detail: CallDetail;
  names: Names;
}

/** Who was there, and how each side sounded. */
export function CallPeople({ detail, names }: CallPeopleProps) {
  const customer = detail.call.customer;
  const nameOf = ({ kind, agentId, agentRef, listenerName }: Participant) =>
    kind === 'CUSTOMER'
      ? customerLabel(customer, 'Erased customer')
      : (names.agentById(agentId) ?? agentRef ?? listenerName ?? kinds[kind]);
  const people: Column<Numbered<Participant>>[] = [
    { key: 'name', header: 'Who', cell: (person) => <span className="font-medium">{nameOf(person)}</span> },
    { key: 'role', header: 'As', cell: ({ kind }) => kinds[kind] },
    {
      key: 'joined',
      header: 'Joined',
      nowrap: true,
      cell: ({ joinedAt }) => <DateTime at={joinedAt} seconds />,
    },
    { key: 'left', header: 'Left', nowrap: true, cell: ({ leftAt }) => <DateTime at={leftAt} seconds /> },
    {
      key: 'reason',
      header: 'Why',
      hideBelow: 'md',
      cell: ({ leaveReason }) => (leaveReason === null ? 'Is still there' : reasons[leaveReason]),
    },
  ];
  return (
    <>
      <Section title="People">
        <Table
          label="People of the call"
          columns={people}
          rows={detail.participants.map((person, at) => ({ ...person, at }))}
          rowKey={({ at }) => at}
          stacked
          empty={<p className="px-5 py-6 text-md text-muted">Nobody was connected in this call.</p>}
        />
      </Section>
      <Section title="Sound" description="What reached us from each side, over the whole call.">
        <Table
          label="Sound of each side"
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

const sides: Record<Leg['type'], string> = { CUSTOMER: 'Customer', AGENT: 'Agent', MONITOR: 'Listener' };

const sound = (names: Names): Column<Numbered<Leg>>[] => [
  {
    key: 'side',
    header: 'From',
    cell: ({ type, agentId }) => (
      <span className="font-medium">{names.agentById(agentId) ?? sides[type]}</span>
    ),
  },
  {
    key: 'sound',
    header: (
      <Definition term="Sounded">
        The mean opinion score (MOS) that the E-model of ITU-T G.107 gives for loss, jitter and delay: from 1,
        useless, to 4.5, as good as a phone can be.
      </Definition>
    ),
    cell: ({ quality }) =>
      quality === null ? (
        <span className="text-muted">Not measured</span>
      ) : (
        <span className="inline-flex items-center gap-2">
          <Badge tone={soundOf(quality.mos).tone}>{soundOf(quality.mos).word}</Badge>
          <span className="text-muted tabular-nums">{quality.mos.toFixed(1)}</span>
        </span>
      ),
  },
  {
    key: 'loss',
    header: (
      <Definition term="Lost">
        Share of the audio packets that never arrived. Over 2 % one hears it.
      </Definition>
    ),
    align: 'end',
    cell: ({ quality }) => quality && `${quality.lossPercent.toFixed(1)} %`,
  },
  {
    key: 'jitter',
    header: <Definition term="Jitter">How unevenly packets arrived. Over 30 ms speech breaks up.</Definition>,
    align: 'end',
    cell: ({ quality }) => quality && `${Math.round(quality.jitterMs)} ms`,
  },
  {
    key: 'delay',
    header: (
      <Definition term="Delay">
        There and back between us and them. Over 300 ms people talk at once.
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
