import { Timer } from 'lucide-react';
import { Button } from '../actions/Button.tsx';
import { useNow } from '../shared/use-now.ts';
import { formatDuration } from './format.ts';

const COUNTDOWN_INTERVAL_MS = 500;

/** Shown during wrap-up, when queues offer the agent no calls. */
export function WrapUpBar({ until, onFinish }: { until: number; onFinish(): void }) {
  const left = (until - useNow(COUNTDOWN_INTERVAL_MS)) / 1000;
  if (left <= 0) return null;
  return (
    <section
      aria-label="Wrap-up"
      className="cl-rise flex items-center gap-3 border-b border-line bg-accent-soft py-2 pr-3 pl-4"
    >
      <Timer className="size-4.5 shrink-0 text-accent" aria-hidden />
      <p className="min-w-0 flex-1 text-sm text-ink">
        <span className="font-semibold">
          Wrap-up <span className="tabular-nums">{formatDuration(Math.ceil(left))}</span>
        </span>
        <span className="hidden @sm:block">Queues do not offer you calls until it ends.</span>
      </p>
      <Button size="sm" className="min-h-10 bg-surface!" onClick={onFinish}>
        End wrap-up
      </Button>
    </section>
  );
}
