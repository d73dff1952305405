import { useEffect, useState } from 'react';
import { decodeAudio, DRAWN_SECONDS_MAX, type Peaks } from './peaks.ts';

const PARTS = 480;

export type AudioState =
  | { state: 'loading' }
  | { state: 'failed' }
  /** `peaks` is null if the audio can be played but not drawn. */
  | { state: 'ready'; url: string; peaks: Peaks | null; durationSeconds: number | null };

/**
 * Loads audio for playing and drawing. If `peaks` are given, the browser streams `src` instead.
 * `expectedSeconds` prevents very long audio from being decoded.
 */
export function useAudio(
  src: string | Blob,
  given: Peaks | undefined,
  expectedSeconds: number | undefined,
): AudioState {
  const [audio, setAudio] = useState<AudioState>({ state: 'loading' });
  const drawn = given === undefined && (expectedSeconds ?? 0) <= DRAWN_SECONDS_MAX;
  useEffect(() => {
    const stop = new AbortController();
    let url: string | undefined;
    const read = async () => {
      if (typeof src === 'string' && !drawn) {
        setAudio({ state: 'ready', url: src, peaks: given ?? null, durationSeconds: null });
        return;
      }
      setAudio({ state: 'loading' });
      const blob = typeof src === 'string' ? await load(src, stop.signal) : src;
      const decoded = await decodeAudio(await blob.arrayBuffer(), PARTS).catch(() => null);
      if (stop.signal.aborted) return;
      url = URL.createObjectURL(blob);
      setAudio({
        state: 'ready',
        url,
        peaks: given ?? decoded?.peaks ?? null,
        durationSeconds: decoded?.durationSeconds ?? null,
      });
    };
    read().catch(() => {
      if (!stop.signal.aborted) setAudio({ state: 'failed' });
    });
    return () => {
      stop.abort();
      if (url !== undefined) URL.revokeObjectURL(url);
    };
  }, [src, given, drawn]);
  return audio;
}

/** Loads the bytes of `src`, because drawing requires decoding. */
async function load(src: string, signal: AbortSignal): Promise<Blob> {
  // oxlint-disable-next-line no-restricted-globals -- a media source, like <img src>, and not data of a page
  const response = await fetch(src, { signal });
  if (!response.ok) throw new Error(`audio not loaded: ${response.status}`);
  return response.blob();
}
