import { useNow } from '../shared/use-now.ts';
import { classNames } from '../shared/class-names.ts';
import { formatDuration, speakDuration } from './format.ts';

const TIMER_INTERVAL_MS = 500;

/** The duration of the call. */
export function CallTimer({ answeredAt, quiet = false }: { answeredAt: number; quiet?: boolean }) {
  const seconds = (useNow(TIMER_INTERVAL_MS) - answeredAt) / 1000;
  return (
    <p
      role="timer"
      aria-label={speakDuration(seconds)}
      className={classNames('tabular-nums', quiet ? 'text-base text-muted' : 'text-2xl font-medium text-ink')}
    >
      {formatDuration(seconds)}
    </p>
  );
}
