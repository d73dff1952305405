import { Card, Section, Skeleton, TextLink } from '@clarion/ui';
import type { Overview } from '../HomePage.tsx';

interface LastDayProps {
  title: string;
  lastDay: Overview['lastDay'] | undefined;
  callsHref: string | null;
}

/** The calls of the last 24 hours, hour by hour. */
export function LastDay({ title, lastDay, callsHref }: LastDayProps) {
  return (
    <Section title={title} actions={callsHref !== null && <TextLink href={callsHref}>View calls</TextLink>}>
      {lastDay === undefined ? (
        <Skeleton className="h-36" />
      ) : lastDay.total === 0 ? (
        <Card className="text-md text-muted">No calls in the last 24 hours.</Card>
      ) : (
        <Card className="flex flex-col gap-5">
          <p className="text-md text-muted">
            <strong className="text-xl font-semibold tracking-tight text-ink tabular-nums">
              {lastDay.total}
            </strong>{' '}
            {lastDay.total === 1 ? 'call' : 'calls'}, {lastDay.answered} answered
            {lastDay.abandoned > 0 && `, ${lastDay.abandoned} abandoned`}
          </p>
          <Hours hours={lastDay.hours} />
        </Card>
      )}
    </Section>
  );
}

const HOUR = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });

/** Answered calls in the full colour, other calls above them in a lighter one. */
function Hours({ hours }: { hours: Overview['lastDay']['hours'] }) {
  const most = Math.max(1, ...hours.map(({ total }) => total));
  const share = (count: number) => `${(count / most) * 100}%`;
  const [first, last] = [hours[0], hours.at(-1)];
  return (
    <figure>
      <div
        role="img"
        aria-label={`Calls per hour: ${hours.map(({ start, total, answered }) => `${HOUR.format(new Date(start))} ${total}, answered ${answered}`).join('; ')}`}
        className="flex h-20 items-end gap-1"
      >
        {hours.map(({ start, total, answered }) => (
          <div
            key={start}
            title={`${HOUR.format(new Date(start))}: ${total} ${total === 1 ? 'call' : 'calls'}, ${answered} answered`}
            className="flex h-full min-w-0 flex-1 flex-col justify-end gap-px border-b border-line"
          >
            <div className="rounded-t-sm bg-accent-soft" style={{ height: share(total - answered) }} />
            <div className="rounded-t-sm bg-accent" style={{ height: share(answered) }} />
          </div>
        ))}
      </div>
      <figcaption aria-hidden className="mt-1.5 flex justify-between text-xs text-muted tabular-nums">
        <span suppressHydrationWarning>{first && HOUR.format(new Date(first.start))}</span>
        <span suppressHydrationWarning>{last && `${HOUR.format(new Date(last.start))}, this hour`}</span>
      </figcaption>
    </figure>
  );
}
