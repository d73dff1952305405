'use client';

import { createContext, use, type ReactNode } from 'react';

type Container = HTMLElement | ShadowRoot | null;

const PortalContext = createContext<Container>(null);

/** The container of dialogs, menus and toasts: the page's body, or in a shadow root the element given here. */
export function PortalProvider({ container, children }: { container: Container; children: ReactNode }) {
  return <PortalContext value={container}>{children}</PortalContext>;
}

/** Props for every `Portal` of Base UI. */
export function usePortal(): { container?: HTMLElement | ShadowRoot } {
  const container = use(PortalContext);
  return container === null ? {} : { container };
}
