'use client';

import { Download, FastForward, Pause, Play, Rewind } from 'lucide-react';
import { useImperativeHandle, useState, type Ref } from 'react';
import { Button } from '../actions/Button.tsx';
import { IconButton } from '../actions/IconButton.tsx';
import { ErrorState } from '../feedback/ErrorState.tsx';
import { classNames } from '../shared/class-names.ts';
import { formatClock } from '../shared/format.ts';
import { Lanes, SKIP_SECONDS } from './Lanes.tsx';
import type { Peaks } from './peaks.ts';
import { usePlayer } from './use-player.ts';
import { useAudio } from './use-audio.ts';

const SPEEDS = [0.5, 0.75, 1, 1.25, 1.5, 2] as const;

export interface WaveformHandle {
  seek(seconds: number): void;
}

export interface WaveformProps {
  /** A same-origin URL, a `blob:` URL, or the audio itself. */
  src: string | Blob;
  /** Drawn instead of peaks decoded from `src`. */
  peaks?: Peaks;
  /** The label of each channel of the audio, in order. */
  channels: readonly { label: string }[];
  durationSeconds?: number;
  onTime?(seconds: number): void;
  /** The download URL; without it, there is no link. */
  downloadHref?: string;
  label?: string;
  ref?: Ref<WaveformHandle>;
  className?: string;
}

/** A player for a recording, with one lane per channel. */
export function Waveform(props: WaveformProps) {
  const [attempt, setAttempt] = useState(0);
  return <Loaded key={attempt} {...props} onRetry={() => setAttempt(attempt + 1)} />;
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
  const audio = useAudio(src, peaks, durationSeconds);
  const player = usePlayer(channels.length, onTime);
  const [known, setKnown] = useState<number>();
  const total = durationSeconds ?? (audio.state === 'ready' ? audio.durationSeconds : null) ?? known ?? 0;
  useImperativeHandle(ref, () => ({ seek: player.seek }));
  const go = (seconds: number) => player.seek(Math.min(seconds, total));
  const share = total > 0 ? Math.min(1, player.time / total) : 0;
  const drawn = audio.state === 'ready' ? audio.peaks : null;
  return (
    <section
      aria-label={label}
      className={classNames(
        'flex min-w-0 flex-col gap-3 rounded-panel border border-line bg-surface p-3 sm:p-4',
        className,
      )}
    >
      {audio.state === 'failed' && (
        <ErrorState
          className="py-4!"
          title="The recording could not be loaded"
          detail="Check your connection and try again."
          onRetry={onRetry}
        />
      )}
      {audio.state === 'failed' && downloadHref !== undefined && (
        <a
          href={downloadHref}
          download
          className="cl-focus self-center rounded-sm text-md text-accent underline underline-offset-4"
        >
          Download recording
        </a>
      )}
      {/* oxlint-disable-next-line jsx-a11y/media-has-caption -- recordings have no captions */}
      <audio
        ref={player.audio}
        preload="metadata"
        {...(audio.state === 'ready' && { src: audio.url })}
        onLoadedMetadata={({ currentTarget }) => {
          if (Number.isFinite(currentTarget.duration)) setKnown(currentTarget.duration);
        }}
      />
      {audio.state !== 'failed' && (
        <>
          <Lanes
            {...{ channels, share, total, go }}
            label={label}
            time={player.time}
            toggle={player.toggle}
            peaks={drawn}
            loading={audio.state === 'loading'}
            muted={player.muted}
            mute={player.mute}
          />
          <div className="flex flex-wrap items-center gap-x-0.5 gap-y-2 sm:gap-x-1.5">
            <IconButton
              tone="accent"
              label={player.playing ? 'Pause' : 'Play'}
              icon={player.playing ? <Pause aria-hidden /> : <Play aria-hidden />}
              disabled={audio.state !== 'ready'}
              onClick={player.toggle}
              className="rounded-full!"
            />
            <IconButton
              label={`Back ${SKIP_SECONDS} seconds`}
              icon={<Rewind aria-hidden />}
              disabled={audio.state !== 'ready'}
              onClick={() => go(player.time - SKIP_SECONDS)}
            />
            <IconButton
              label={`Forward ${SKIP_SECONDS} seconds`}
              icon={<FastForward aria-hidden />}
              disabled={audio.state !== 'ready'}
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
