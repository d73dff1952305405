'use client';

import { useLayoutEffect, useRef, useState, type RefObject } from 'react';

/** Whether an element is narrower than `px`, now and after every change. */
export function useNarrow<E extends HTMLElement>(px: number): [RefObject<E | null>, boolean] {
  const element = useRef<E>(null);
  const [narrow, setNarrow] = useState(false);
  useLayoutEffect(() => {
    if (element.current === null) return;
    const size = new ResizeObserver(([entry]) => setNarrow((entry?.contentRect.width ?? px) < px));
    size.observe(element.current);
    return () => size.disconnect();
  }, [px]);
  return [element, narrow];
}
