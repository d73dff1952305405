'use client';

import { useState } from 'react';

export interface Draft<T> {
  draft: T;
  change(changes: Partial<T>): void;
  dirty: boolean;
  /** Call when the values were stored. */
  saved(): void;
}

/**
 * The values of a form while it is open; each time it opens it starts with the result of `make`. Values are plain JSON. When
 * `version` changes, another user has saved: their version is loaded, unless the form has unsaved changes.
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
