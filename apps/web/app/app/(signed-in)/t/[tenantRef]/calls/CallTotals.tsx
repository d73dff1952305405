import { Definition, Duration, Stat, StatRow } from '@clarion/ui';
import type { Answer } from '../../../../../../lib/dashboard/request.ts';

type Stats = NonNullable<Answer<'GET', '/v1/tenants/{tenantRef}/calls'>['stats']>;

const share = (part: number, whole: number) => (whole === 0 ? '' : `${Math.round((part / whole) * 100)} %`);

/** Totals of all that the filters select. */
export function CallTotals({ stats }: { stats: Stats }) {
  const { total, answered, missed, lost, failed, live, avgTalkSeconds, avgWaitSeconds } = stats;
  return (
    <StatRow>
      <Stat
        label="Calls"
        value={total}
        hint={live > 0 ? `${live} live now` : `${stats.inbound} in, ${stats.outbound} out`}
      />
      <Stat
        label={<Definition term="Answered">An agent and the customer talked.</Definition>}
        value={answered}
        hint={share(answered, total)}
      />
      <Stat
        label={
          <Definition term="Missed">
            Nobody took it: it rang out, the caller waited too long, or it was declined or busy.
          </Definition>
        }
        value={missed}
        hint={share(missed, total)}
      />
      <Stat
        label={
          <Definition term="Given up">
            Somebody cancelled before it was answered, mostly the caller.
          </Definition>
        }
        value={lost}
        hint={share(lost, total)}
      />
      <Stat
        label={
          <Definition term="Failed">A fault of a carrier, the network or the service ended it.</Definition>
        }
        value={failed}
        hint={share(failed, total)}
      />
      <Stat
        label={
          <Definition term="Average talk">From the answer to the end, for each answered call.</Definition>
        }
        value={<Duration seconds={answered === 0 ? null : avgTalkSeconds} clock />}
      />
      <Stat
        label={
          <Definition term="Average wait">
            From entering the first queue to the answer or the end, for each call that waited.
          </Definition>
        }
        value={<Duration seconds={avgWaitSeconds} clock />}
      />
    </StatRow>
  );
}
