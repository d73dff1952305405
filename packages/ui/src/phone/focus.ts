import { useEffect, useRef, type RefObject } from 'react';

/** The focused element in the tree of `node`. Inside a shadow root, the document reports only the host of the root. */
export function focusedNear(node: Node): Element | null {
  const root = node.getRootNode();
  return root instanceof ShadowRoot ? root.activeElement : document.activeElement;
}

/** Whether the focus may be moved: it is in the phone or nowhere, so the user is not typing elsewhere on the page. */
export function mayTakeFocus(inside: Element): boolean {
  const { activeElement } = document;
  if (activeElement === null || activeElement === document.body) return true;
  const focused = focusedNear(inside);
  return focused !== null && (inside.closest('[data-agent-phone]')?.contains(focused) ?? false);
}

/** Moves the focus to the main control of a view when it appears, or when `subject` changes. */
export function useFocusOnMount<T extends HTMLElement>(subject?: unknown): RefObject<T | null> {
  const ref = useRef<T>(null);
  useEffect(() => {
    if (ref.current && mayTakeFocus(ref.current)) ref.current.focus({ preventScroll: true });
  }, [subject]);
  return ref;
}
