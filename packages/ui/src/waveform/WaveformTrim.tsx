'use client';

import { Slider } from '@base-ui/react/slider';
import { Pause, Play } from 'lucide-react';
import { useEffect } from 'react';
import { IconButton } from '../actions/IconButton.tsx';
import { Notice } from '../feedback/Notice.tsx';
import { Skeleton } from '../feedback/Skeleton.tsx';
import { classNames } from '../shared/class-names.ts';
import { usePlayer } from './use-player.ts';
import { useAudio } from './use-audio.ts';
import { Wave } from './Wave.tsx';

const STEP_SECONDS = 0.05;
/** The minimum duration of the selection. */
const LEAST_SECONDS = 0.25;

export interface WaveformTrimProps {
  blob: Blob;
  /** Seconds; `to` may be Infinity for the end. */
  from: number;
  to: number;
  onChange(part: { from: number; to: number }): void;
  /** Called once the duration is known. */
  onLength?(seconds: number): void;
  className?: string;
}

/** Trims audio: two handles, and a button that plays the selection. */
export function WaveformTrim({ blob, from, to, onChange, onLength, className }: WaveformTrimProps) {
  const audio = useAudio(blob, undefined, undefined);
  const length = audio.state === 'ready' ? (audio.durationSeconds ?? 0) : 0;
  const end = Math.min(to, length);
  const player = usePlayer(1, undefined, end);
  useEffect(() => {
    if (length > 0) onLength?.(length);
  }, [length, onLength]);
  if (audio.state === 'failed' || (audio.state === 'ready' && audio.peaks === null))
    return (
      <Notice tone="negative">This audio cannot be read. Record it again or choose another file.</Notice>
    );
  const lane = audio.state === 'ready' ? audio.peaks?.[0] : undefined;
  return (
    <div className={classNames('flex min-w-0 items-center gap-3', className)}>
      {/* oxlint-disable-next-line jsx-a11y/media-has-caption -- the user has just recorded it */}
      <audio ref={player.audio} {...(audio.state === 'ready' && { src: audio.url })} />
      <IconButton
        tone="accent"
        className="rounded-full!"
        label={player.playing ? 'Pause' : 'Play selection'}
        icon={player.playing ? <Pause aria-hidden /> : <Play aria-hidden />}
        disabled={lane === undefined}
        onClick={() => {
          if (!player.playing && (player.time < from || player.time >= end)) player.seek(from);
          player.toggle();
        }}
      />
      <div className="min-w-0 flex-1">
        {lane === undefined ? (
          <Skeleton className="h-16!" />
        ) : (
          <Slider.Root
            value={[Math.min(from, end), end]}
            min={0}
            max={length}
            step={STEP_SECONDS}
            minStepsBetweenValues={LEAST_SECONDS / STEP_SECONDS}
            onValueChange={(part) => {
              const [start, stop] = part;
              if (start !== undefined && stop !== undefined) onChange({ from: start, to: stop });
            }}
          >
            <Slider.Control className="flex h-16 touch-none items-center">
              <Slider.Track className="relative h-16 w-full rounded-control bg-raised">
                <Wave peaks={lane} from={from / length} to={end / length} className="h-16" />
                <span
                  aria-hidden
                  className="absolute inset-y-0 w-px bg-ink"
                  style={{ left: `${Math.min(100, (player.time / length) * 100)}%` }}
                />
                {(['Start', 'End'] as const).map((name, index) => (
                  <Slider.Thumb
                    key={name}
                    index={index}
                    getAriaLabel={() => name}
                    getAriaValueText={(_, value) => `${value.toFixed(1)} seconds`}
                    className="h-18 w-2 rounded-full bg-accent outline-2 outline-offset-2 outline-transparent focus-within:outline-accent"
                  />
                ))}
              </Slider.Track>
            </Slider.Control>
          </Slider.Root>
        )}
      </div>
      <span className="w-12 shrink-0 text-right text-md text-muted tabular-nums">
        {(end - from).toFixed(1)} s
      </span>
    </div>
  );
}
