'use client';

import { useSyncExternalStore } from 'react';

const never = () => () => undefined;

/** The origin of this page, for example `https://calls.example.com`; empty while rendering on the server. */
export const useOrigin = (): string =>
  useSyncExternalStore(
    never,
    () => window.location.origin,
    () => '',
  );
