'use client';

import { CSPProvider } from '@base-ui/react/csp-provider';
import type { ReactNode } from 'react';
import { PortalProvider } from '../shared/portal.tsx';

interface PhonePortalProps {
  /** The container of popups that open over the phone. */
  popups: HTMLElement;
  children: ReactNode;
}

/** For a phone in a shadow root on a third-party page: adds nothing to the page's body, and no style elements. */
export function PhonePortal({ popups, children }: PhonePortalProps) {
  return (
    <CSPProvider disableStyleElements>
      <PortalProvider container={popups}>{children}</PortalProvider>
    </CSPProvider>
  );
}
