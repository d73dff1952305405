import { Volume2, VolumeX } from 'lucide-react';
import type { KeyboardEvent, PointerEvent } from 'react';
import { IconButton } from '../actions/IconButton.tsx';
import { Skeleton } from '../feedback/Skeleton.tsx';
import { formatClock } from '../shared/format.ts';
import type { Peaks } from './peaks.ts';
import { Wave } from './Wave.tsx';

export const SKIP_SECONDS = 5;

interface LanesProps {
  label: string;
  channels: readonly { label: string }[];
  peaks: Peaks | null;
  loading: boolean;
  /** The played share, from 0 to 1. */
  share: number;
  time: number;
  total: number;
  muted: readonly boolean[];
  mute(channel: number, muted: boolean): void;
  go(seconds: number): void;
  toggle(): void;
}

/** One lane per channel, together forming one slider over the whole duration. */
export function Lanes({
  label,
  channels,
  peaks,
  loading,
  share,
  time,
  total,
  muted,
  mute,
  go,
  toggle,
}: LanesProps) {
  const point = ({ clientX, currentTarget, buttons }: PointerEvent) => {
    if (buttons !== 1) return;
    const { left, width } = currentTarget.getBoundingClientRect();
    go(Math.max(0, (clientX - left) / width) * total);
  };
  const press = (event: KeyboardEvent) => {
    const to: Record<string, number> = {
      ArrowLeft: time - SKIP_SECONDS,
      ArrowDown: time - SKIP_SECONDS,
      ArrowRight: time + SKIP_SECONDS,
      ArrowUp: time + SKIP_SECONDS,
      Home: 0,
      End: total,
    };
    const target = to[event.key];
    if (event.key === ' ') toggle();
    else if (target !== undefined) go(target);
    else return;
    event.preventDefault();
  };
  return (
    <div className="flex min-w-0 gap-3">
      {channels.length > 1 && (
        <ul className="flex w-24 shrink-0 flex-col gap-1.5 sm:w-32">
          {channels.map((channel, index) => {
            const silent = muted[index] === true;
            return (
              <li key={channel.label} className="flex h-14 min-w-0 items-center gap-0.5">
                <IconButton
                  size="sm"
                  label={silent ? `Unmute ${channel.label}` : `Mute ${channel.label}`}
                  aria-pressed={silent}
                  icon={silent ? <VolumeX aria-hidden /> : <Volume2 aria-hidden />}
                  onClick={() => mute(index, !silent)}
                  className="text-muted"
                />
                <span className="min-w-0 truncate text-sm text-ink">{channel.label}</span>
              </li>
            );
          })}
        </ul>
      )}
      <div
        role="slider"
        tabIndex={0}
        aria-label={`Position in ${label.toLowerCase()}`}
        aria-valuemin={0}
        aria-valuemax={Math.round(total)}
        aria-valuenow={Math.round(time)}
        aria-valuetext={`${formatClock(time)} of ${formatClock(total)}`}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          point(event);
        }}
        onPointerMove={point}
        onKeyDown={press}
        className="cl-focus relative flex min-w-0 flex-1 cursor-pointer touch-pan-y flex-col gap-1.5 rounded-sm"
      >
        {channels.map((channel, index) => {
          const lane = peaks?.[index] ?? peaks?.[0];
          if (loading) return <Skeleton key={channel.label} className="my-4 h-6!" />;
          return lane === undefined ? (
            <span key={channel.label} className="relative block h-14">
              <span className="absolute inset-x-0 top-1/2 h-1 -translate-y-1/2 rounded-full bg-pressed" />
              <span
                className="absolute top-1/2 left-0 h-1 -translate-y-1/2 rounded-full bg-accent"
                style={{ width: `${share * 100}%` }}
              />
            </span>
          ) : (
            <Wave
              key={channel.label}
              peaks={lane}
              from={0}
              to={share}
              faint={muted[index] === true}
              className="h-14"
            />
          );
        })}
        <span
          aria-hidden
          className="absolute inset-y-0 w-px -translate-x-1/2 bg-accent"
          style={{ left: `${share * 100}%` }}
        />
      </div>
    </div>
  );
}
