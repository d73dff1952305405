import { Definition, Duration, Stat, StatRow } from '@clarion/ui';
import type { Answer } from '#lib/dashboard/request.ts';

type Stats = NonNullable<Answer<'GET', '/v1/tenants/{tenantRef}/calls'>['stats']>;

const share = (part: number, whole: number) => (whole === 0 ? '' : `${Math.round((part / whole) * 100)}%`);

/** Totals of all calls that match the filters. */
export function CallTotals({ stats }: { stats: Stats }) {
  const { total, answered, missed, lost, failed, live, avgTalkSeconds, avgWaitSeconds } = stats;
  return (
    <StatRow>
      <Stat
        label="Calls"
        value={total}
        hint={live > 0 ? `${live} live now` : `${stats.inbound} inbound, ${stats.outbound} outbound`}
      />
      <Stat
        label={
          <Definition term="Answered">Calls in which an agent and the customer were connected.</Definition>
        }
        value={answered}
        hint={share(answered, total)}
      />
      <Stat
        label={
          <Definition term="Missed">
            Calls that no agent or customer answered: no answer, declined, busy, or the maximum wait was
            reached.
          </Definition>
        }
        value={missed}
        hint={share(missed, total)}
      />
      <Stat
        label={
          <Definition term="Cancelled">
            Calls that were cancelled before the answer, usually by the caller.
          </Definition>
        }
        value={lost}
        hint={share(lost, total)}
      />
      <Stat
        label={
          <Definition term="Failed">
            Calls that ended because of a carrier, network or service error.
          </Definition>
        }
        value={failed}
        hint={share(failed, total)}
      />
      <Stat
        label={
          <Definition term="Average talk">The average time from the answer to the end of a call.</Definition>
        }
        value={<Duration seconds={answered === 0 ? null : avgTalkSeconds} clock />}
      />
      <Stat
        label={
          <Definition term="Average wait">
            The average time from entering the first queue to the answer or the end of a call.
          </Definition>
        }
        value={<Duration seconds={avgWaitSeconds} clock />}
      />
    </StatRow>
  );
}
