import { useEffect, useRef, type RefObject } from 'react';

/**
 * Moves the focus to the view's main control when the view appears, if the focus was in the phone or nowhere: a
 * person who writes elsewhere on the page is not interrupted by a call's change of state.
 */
export function useFocusOnMount<T extends HTMLElement>(): RefObject<T | null> {
  const ref = useRef<T>(null);
  useEffect(() => {
    const active = document.activeElement;
    const phone = ref.current?.closest('[data-agent-phone]');
    if (active === null || active === document.body || phone?.contains(active)) ref.current?.focus();
  }, []);
  return ref;
}
