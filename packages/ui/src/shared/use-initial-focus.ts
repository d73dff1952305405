import { useEffect, useRef, type RefObject } from 'react';

/** The one thing to do on a page takes the focus when it appears. */
export function useInitialFocus<T extends HTMLElement>(wanted: boolean): RefObject<T | null> {
  const element = useRef<T>(null);
  useEffect(() => {
    if (wanted) element.current?.focus();
  }, [wanted]);
  return element;
}
