'use client';

/** What a page shows, kept in its address: filters and the open row outlive a reload and can be sent to a colleague. */
import { usePathname, useSearchParams } from 'next/navigation.js';
import { useCallback } from 'react';

export interface UrlState {
  /** The empty text when it is not set. */
  get(name: string): string;
  /** Null and the empty text remove it. The page itself is not asked for again. */
  set(changes: Record<string, string | null>): void;
}

export function useUrlState(): UrlState {
  const search = useSearchParams();
  const pathname = usePathname();
  const set = useCallback(
    (changes: Record<string, string | null>) => {
      // Read anew: two changes may come in one event.
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
