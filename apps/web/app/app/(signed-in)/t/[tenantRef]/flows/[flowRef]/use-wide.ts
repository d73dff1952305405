'use client';

import { useSyncExternalStore } from 'react';

/** Where the canvas and its panel have room beside one another. */
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
