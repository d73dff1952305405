import { useEffect, useState } from 'react';
import { decodeSound, DRAWN_SECONDS_MAX, type Peaks } from './peaks.ts';

const PARTS = 480;

export type Sound =
  | { state: 'loading' }
  | { state: 'failed' }
  /** `peaks` is null where the sound can be played but not drawn. */
  | { state: 'ready'; url: string; peaks: Peaks | null; durationSeconds: number | null };

/**
 * Reads a sound once, to play it and to draw it. With `peaks` given nothing is read ahead: the browser streams `src`.
 * `expectedSeconds` keeps very long sounds from being decoded.
 */
export function useSound(
  src: string | Blob,
  given: Peaks | undefined,
  expectedSeconds: number | undefined,
): Sound {
  const [sound, setSound] = useState<Sound>({ state: 'loading' });
  const drawn = given === undefined && (expectedSeconds ?? 0) <= DRAWN_SECONDS_MAX;
  useEffect(() => {
    const stop = new AbortController();
    let url: string | undefined;
    const read = async () => {
      if (typeof src === 'string' && !drawn) {
        setSound({ state: 'ready', url: src, peaks: given ?? null, durationSeconds: null });
        return;
      }
      setSound({ state: 'loading' });
      const blob = typeof src === 'string' ? await load(src, stop.signal) : src;
      const decoded = await decodeSound(await blob.arrayBuffer(), PARTS).catch(() => null);
      if (stop.signal.aborted) return;
      url = URL.createObjectURL(blob);
      setSound({
        state: 'ready',
        url,
        peaks: given ?? decoded?.peaks ?? null,
        durationSeconds: decoded?.durationSeconds ?? null,
      });
    };
    read().catch(() => {
      if (!stop.signal.aborted) setSound({ state: 'failed' });
    });
    return () => {
      stop.abort();
      if (url !== undefined) URL.revokeObjectURL(url);
    };
  }, [src, given, drawn]);
  return sound;
}

/** What `<audio src>` would load, as bytes: a sound must be read to be drawn. */
async function load(src: string, signal: AbortSignal): Promise<Blob> {
  // oxlint-disable-next-line no-restricted-globals -- a media source is shown, as <img src> is; it is no data of a page
  const response = await fetch(src, { signal });
  if (!response.ok) throw new Error(`audio not loaded: ${response.status}`);
  return response.blob();
}
