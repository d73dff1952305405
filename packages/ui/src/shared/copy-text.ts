'use client';

import { useCallback, useEffect, useRef, useState } from 'react';

/** How long "Copied" is shown. */
const COPIED_MS = 1_500;

export type CopyState = 'idle' | 'copied' | 'failed';

/** Copies text to the clipboard and shows briefly whether that succeeded. Without https there is no clipboard. */
export function useCopy(): { state: CopyState; copy(text: string): Promise<void> } {
  const [state, setState] = useState<CopyState>('idle');
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = useCallback(async (text: string) => {
    clearTimeout(timer.current);
    try {
      await navigator.clipboard.writeText(text);
      setState('copied');
    } catch {
      setState('failed');
    }
    timer.current = setTimeout(() => setState('idle'), COPIED_MS);
  }, []);
  return { state, copy };
}
