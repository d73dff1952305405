'use client';

import { useState } from 'react';

export interface Draft<T> {
  draft: T;
  change(changes: Partial<T>): void;
  dirty: boolean;
  /** What is entered has been stored. */
  saved(): void;
}

/**
 * What a form holds while it is open; each time it opens it starts from what `make` gives. Values are plain JSON. When `version`
 * changes, somebody else has stored something: it is taken over, unless that would cost what is entered here.
 */
export function useDraft<T extends object>(open: boolean, make: () => T, version = ''): Draft<T> {
  const [seen, setSeen] = useState({ open, version });
  const [state, setState] = useState(() => begin(make));
  const dirty = JSON.stringify(state.draft) !== JSON.stringify(state.initial);
  if (open !== seen.open || version !== seen.version) {
    setSeen({ open, version });
    if (open && (!seen.open || !dirty)) setState(begin(make));
  }
  return {
    draft: state.draft,
    change: (changes) => setState(({ initial, draft }) => ({ initial, draft: { ...draft, ...changes } })),
    dirty,
    saved: () => setState(({ draft }) => ({ initial: draft, draft })),
  };
}

function begin<T>(make: () => T): { initial: T; draft: T } {
  const initial = make();
  return { initial, draft: initial };
}
