'use client';

import { Download, FastForward, Pause, Play, Rewind, Volume2, VolumeX } from 'lucide-react';
import { useImperativeHandle, useState, type KeyboardEvent, type PointerEvent, type Ref } from 'react';
import { Button } from '../actions/Button.tsx';
import { IconButton } from '../actions/IconButton.tsx';
import { ErrorState } from '../feedback/ErrorState.tsx';
import { Skeleton } from '../feedback/Skeleton.tsx';
import { classNames } from '../shared/class-names.ts';
import { formatClock } from '../shared/format.ts';
import type { Peaks } from './peaks.ts';
import { usePlayer } from './use-player.ts';
import { useSound } from './use-sound.ts';
import { Wave } from './Wave.tsx';

const SKIP_SECONDS = 5;
const SPEEDS = [0.5, 0.75, 1, 1.25, 1.5, 2] as const;

export interface WaveformHandle {
  seek(seconds: number): void;
}

export interface WaveformProps {
  /** Of the page's own origin, or a `blob:`; or the sound itself. */
  src: string | Blob;
  /** Drawn instead of what would be read from `src`. */
  peaks?: Peaks;
  /** One for each channel of the sound, in its order. */
  channels: readonly { label: string }[];
  durationSeconds?: number;
  onTime?(seconds: number): void;
  /** Where the file is to be had; no link without it. */
  downloadHref?: string;
  label?: string;
  ref?: Ref<WaveformHandle>;
  className?: string;
}

/** A recording, one lane for each voice, to listen to. */
export function Waveform({
  src,
  peaks,
  channels,
  durationSeconds,
  onTime,
  downloadHref,
  label = 'Recording',
  ref,
  className,
}: WaveformProps) {
  const [attempt, setAttempt] = useState(0);
  return (
    <Loaded
      key={attempt}
      {...{ src, channels, label }}
      {...(peaks !== undefined && { peaks })}
      {...(durationSeconds !== undefined && { durationSeconds })}
      {...(onTime !== undefined && { onTime })}
      {...(downloadHref !== undefined && { downloadHref })}
      {...(ref !== undefined && { ref })}
      {...(className !== undefined && { className })}
      onRetry={() => setAttempt(attempt + 1)}
    />
  );
}

function Loaded({
  src,
  peaks,
  channels,
  durationSeconds,
  onTime,
  downloadHref,
  label = 'Recording',
  ref,
  className,
  onRetry,
}: WaveformProps & { onRetry(): void }) {
  const sound = useSound(src, peaks, durationSeconds);
  const player = usePlayer(channels.length, onTime);
  const [known, setKnown] = useState<number>();
  const total = durationSeconds ?? (sound.state === 'ready' ? sound.durationSeconds : null) ?? known ?? 0;
  useImperativeHandle(ref, () => ({ seek: player.seek }));
  const go = (seconds: number) => player.seek(Math.min(seconds, total));
  const share = total > 0 ? Math.min(1, player.time / total) : 0;
  const drawn = sound.state === 'ready' ? sound.peaks : null;
  return (
    <section
      aria-label={label}
      className={classNames(
        'flex min-w-0 flex-col gap-3 rounded-panel border border-line bg-surface p-3 sm:p-4',
        className,
      )}
    >
      {sound.state === 'failed' && (
        <ErrorState
          className="py-4!"
          title="The recording could not be loaded"
          detail="Look at your connection and try again."
          onRetry={onRetry}
        />
      )}
      {/* oxlint-disable-next-line jsx-a11y/media-has-caption -- what is said is a transcript beside it, where there is one */}
      <audio
        ref={player.audio}
        preload="metadata"
        {...(sound.state === 'ready' && { src: sound.url })}
        onLoadedMetadata={({ currentTarget }) => {
          if (Number.isFinite(currentTarget.duration)) setKnown(currentTarget.duration);
        }}
      />
      {sound.state !== 'failed' && (
        <>
          <Lanes
            {...{ channels, share, total, go }}
            label={label}
            time={player.time}
            toggle={player.toggle}
            peaks={drawn}
            loading={sound.state === 'loading'}
            muted={player.muted}
            mute={player.mute}
          />
          <div className="flex flex-wrap items-center gap-x-0.5 gap-y-2 sm:gap-x-1.5">
            <IconButton
              tone="accent"
              label={player.playing ? 'Pause' : 'Play'}
              icon={player.playing ? <Pause aria-hidden /> : <Play aria-hidden />}
              disabled={sound.state !== 'ready'}
              onClick={player.toggle}
              className="rounded-full!"
            />
            <IconButton
              label={`Back ${SKIP_SECONDS} seconds`}
              icon={<Rewind aria-hidden />}
              disabled={sound.state !== 'ready'}
              onClick={() => go(player.time - SKIP_SECONDS)}
            />
            <IconButton
              label={`On ${SKIP_SECONDS} seconds`}
              icon={<FastForward aria-hidden />}
              disabled={sound.state !== 'ready'}
              onClick={() => go(player.time + SKIP_SECONDS)}
            />
            <span className="px-1 text-md whitespace-nowrap sm:px-1.5 text-muted tabular-nums">
              <span className="text-ink">{formatClock(player.time)}</span> / {formatClock(total)}
            </span>
            <span className="flex-1" />
            <Button
              size="sm"
              tone="plain"
              aria-label={`Speed: ${player.speed} times`}
              className="tabular-nums"
              onClick={() => {
                const next = SPEEDS.findIndex((one) => one === player.speed) + 1;
                player.setSpeed(SPEEDS[next % SPEEDS.length] ?? 1);
              }}
            >
              {player.speed}×
            </Button>
            {downloadHref !== undefined && (
              <a
                href={downloadHref}
                download
                aria-label="Download"
                className="cl-focus grid size-9 place-items-center rounded-control text-ink hover:bg-raised pointer-coarse:size-11"
              >
                <Download className="size-4.5" aria-hidden />
              </a>
            )}
          </div>
        </>
      )}
    </section>
  );
}

interface LanesProps {
  label: string;
  channels: readonly { label: string }[];
  peaks: Peaks | null;
  loading: boolean;
  /** Of the whole, from 0 to 1. */
  share: number;
  time: number;
  total: number;
  muted: readonly boolean[];
  mute(channel: number, muted: boolean): void;
  go(seconds: number): void;
  toggle(): void;
}

function Lanes({ label, channels, peaks, loading, share, time, total, muted, mute, go, toggle }: LanesProps) {
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
                  label={silent ? `Hear ${channel.label}` : `Mute ${channel.label}`}
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
        aria-label={`Place in ${label.toLowerCase()}`}
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
