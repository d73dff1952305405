'use client';

import { useSyncExternalStore } from 'react';

const never = () => () => undefined;

/** Where this page came from, `https://calls.example.com`; empty until the page is in the browser. */
export const useOrigin = (): string =>
  useSyncExternalStore(
    never,
    () => window.location.origin,
    () => '',
  );
