'use client';

import { useEffect, useState } from 'react';
import type { Draft } from '#lib/flow-builder/draft.ts';
import { isPlaced, placed } from '#lib/flow-builder/placed.ts';

/** A flow that came without positions is laid out; one of which some are known keeps those. Null: not ready yet. */
export function usePlaced(draft: Draft): Draft | null {
  const [ready, setReady] = useState(isPlaced(draft) ? draft : null);
  useEffect(() => {
    if (ready !== null) return;
    let gone = false;
    void placed(draft).then((next) => {
      if (!gone) setReady(next);
    });
    return () => {
      gone = true;
    };
  }, [draft, ready]);
  return ready;
}
