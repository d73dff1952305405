'use client';

import { useState } from 'react';

export interface Draft<T> {
  draft: T;
  change(changes: Partial<T>): void;
  dirty: boolean;
}

/** What a form holds while it is open; each time it opens it starts from what `make` gives. Values are plain JSON. */
export function useDraft<T extends object>(open: boolean, make: () => T): Draft<T> {
  const [wasOpen, setWasOpen] = useState(open);
  const [state, setState] = useState(() => begin(make));
  if (open !== wasOpen) {
    setWasOpen(open);
    if (open) setState(begin(make));
  }
  return {
    draft: state.draft,
    change: (changes) => setState(({ initial, draft }) => ({ initial, draft: { ...draft, ...changes } })),
    dirty: JSON.stringify(state.draft) !== JSON.stringify(state.initial),
  };
}

function begin<T>(make: () => T): { initial: T; draft: T } {
  const initial = make();
  return { initial, draft: initial };
}
