'use client';

import { CSPProvider } from '@base-ui/react/csp-provider';
import type { ReactNode } from 'react';
import { PortalProvider } from '../shared/portal.tsx';

interface PhonePlaceProps {
  /** Where lists that open over the phone are put. */
  popups: HTMLElement;
  children: ReactNode;
}

/** For a phone in a shadow root of a page we know nothing about: nothing is put into its body, and no style element anywhere. */
export function PhonePlace({ popups, children }: PhonePlaceProps) {
  return (
    <CSPProvider disableStyleElements>
      <PortalProvider container={popups}>{children}</PortalProvider>
    </CSPProvider>
  );
}
