import { useCallback, useEffect, useRef, useState, type RefObject } from 'react';

export interface Player {
  audio: RefObject<HTMLAudioElement | null>;
  playing: boolean;
  /** Seconds. */
  time: number;
  muted: readonly boolean[];
  /** The playback rate; 1 is normal speed. */
  speed: number;
  toggle(): void;
  seek(seconds: number): void;
  mute(channel: number, muted: boolean): void;
  setSpeed(speed: number): void;
}

/**
 * Plays an `<audio>` element. Each of several channels is played to both ears, because one voice per ear is tiring, and can be muted
 * separately. Playback stops at `stopAt` (seconds).
 */
export function usePlayer(
  channels: number,
  onTime: ((seconds: number) => void) | undefined,
  stopAt = Number.POSITIVE_INFINITY,
): Player {
  const audio = useRef<HTMLAudioElement>(null);
  const gains = useRef<GainNode[]>([]);
  const context = useRef<AudioContext>(undefined);
  const [playing, setPlaying] = useState(false);
  const [time, setTime] = useState(0);
  const [speed, setSpeed] = useState(1);
  const [muted, setMuted] = useState<readonly boolean[]>(() => Array.from({ length: channels }, () => false));
  const latest = useRef({ onTime, stopAt });
  useEffect(() => {
    latest.current = { onTime, stopAt };
  });

  const moved = useCallback((seconds: number) => {
    setTime(seconds);
    latest.current.onTime?.(seconds);
  }, []);

  useEffect(() => {
    const element = audio.current;
    if (element === null) return;
    const events = new AbortController();
    const on = (name: string, listener: () => void) =>
      element.addEventListener(name, listener, { signal: events.signal });
    on('play', () => setPlaying(true));
    on('pause', () => setPlaying(false));
    on('ended', () => setPlaying(false));
    on('seeked', () => moved(element.currentTime));
    on('emptied', () => moved(0));
    return () => events.abort();
  }, [moved]);

  useEffect(() => {
    if (!playing) return;
    let frame = requestAnimationFrame(function step() {
      const element = audio.current;
      if (element !== null) {
        if (element.currentTime >= latest.current.stopAt) element.pause();
        moved(element.currentTime);
      }
      frame = requestAnimationFrame(step);
    });
    return () => cancelAnimationFrame(frame);
  }, [playing, moved]);

  useEffect(() => () => void context.current?.close(), []);

  // Browsers play audio only after a user gesture.
  const connect = (element: HTMLAudioElement) => {
    if (channels < 2 || context.current !== undefined) return;
    const made = new AudioContext();
    context.current = made;
    const splitter = made.createChannelSplitter(channels);
    made.createMediaElementSource(element).connect(splitter);
    gains.current = Array.from({ length: channels }, (_, channel) => {
      const gain = made.createGain();
      gain.gain.value = muted[channel] === true ? 0 : 1;
      splitter.connect(gain, channel).connect(made.destination);
      return gain;
    });
  };

  return {
    audio,
    playing,
    time,
    muted,
    speed,
    setSpeed(next) {
      setSpeed(next);
      if (audio.current !== null) audio.current.playbackRate = next;
    },
    toggle() {
      const element = audio.current;
      if (element === null) return;
      if (!element.paused) {
        element.pause();
        return;
      }
      connect(element);
      element.playbackRate = speed;
      void context.current?.resume();
      // Pausing before playback has started rejects this promise, which is not an error.
      element.play().catch(() => setPlaying(false));
    },
    seek(seconds) {
      if (audio.current === null) return;
      audio.current.currentTime = Math.max(0, seconds);
      moved(audio.current.currentTime);
    },
    mute(channel, silent) {
      setMuted(muted.map((now, index) => (index === channel ? silent : now)));
      const gain = gains.current[channel];
      if (gain !== undefined) gain.gain.value = silent ? 0 : 1;
    },
  };
}
