import { useEffect, useRef, type RefObject } from 'react';

/** Focuses the main control of a page when it appears. */
export function useInitialFocus<T extends HTMLElement>(wanted: boolean): RefObject<T | null> {
  const element = useRef<T>(null);
  useEffect(() => {
    if (wanted) element.current?.focus();
  }, [wanted]);
  return element;
}
