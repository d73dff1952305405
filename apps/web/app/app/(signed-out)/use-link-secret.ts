'use client';

import { useEffect, useState } from 'react';

/**
 * The secret in the address's fragment (`#token=…`), which is taken out of the address at once: neither the history nor a
 * photograph of the screen keeps it. Undefined until it was looked for, null when there is none.
 */
export function useLinkSecret(): string | null | undefined {
  const [secret, setSecret] = useState<string | null>();
  useEffect(() => {
    const found = new URLSearchParams(location.hash.slice(1)).get('token');
    if (found !== null) history.replaceState(null, '', location.pathname);
    setSecret((before) => found ?? before ?? null);
  }, []);
  return secret;
}
