'use client';

import { createContext, use, type ReactNode } from 'react';

type Container = HTMLElement | ShadowRoot | null;

const PortalContext = createContext<Container>(null);

/** Where dialogs, menus and toasts are put: the page's body, or within a shadow root the element given here. */
export function PortalProvider({ container, children }: { container: Container; children: ReactNode }) {
  return <PortalContext value={container}>{children}</PortalContext>;
}

/** Props for every `Portal` of Base UI. */
export function usePortal(): { container?: HTMLElement | ShadowRoot } {
  const container = use(PortalContext);
  return container === null ? {} : { container };
}
