'use client';

import { useSyncExternalStore } from 'react';

/** Wide enough for the canvas and its panel side by side. */
const WIDE = '(min-width: 64rem)';

function subscribe(changed: () => void): () => void {
  const query = window.matchMedia(WIDE);
  query.addEventListener('change', changed);
  return () => query.removeEventListener('change', changed);
}

export const useWide = (): boolean =>
  useSyncExternalStore(
    subscribe,
    () => window.matchMedia(WIDE).matches,
    () => true,
  );
