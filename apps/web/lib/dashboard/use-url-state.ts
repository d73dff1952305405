'use client';

/** The state of a page in its URL, so that filters and the open row survive a reload and can be shared. */
import { usePathname, useSearchParams } from 'next/navigation.js';
import { useCallback } from 'react';

export interface UrlState {
  /** Empty if not set. */
  get(name: string): string;
  /** Null and the empty string remove it. The page is not requested again. */
  set(changes: Record<string, string | null>): void;
}

export function useUrlState(): UrlState {
  const search = useSearchParams();
  const pathname = usePathname();
  const set = useCallback(
    (changes: Record<string, string | null>) => {
      // Read again, because one event may cause two changes.
      const next = new URLSearchParams(window.location.search);
      for (const [name, value] of Object.entries(changes)) {
        if (value === null || value === '') next.delete(name);
        else next.set(name, value);
      }
      window.history.replaceState(null, '', next.size === 0 ? pathname : `${pathname}?${next}`);
    },
    [pathname],
  );
  return { get: (name) => search.get(name) ?? '', set };
}
