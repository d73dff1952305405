'use client';

import { useEffect, useState } from 'react';

/**
 * The secret in the URL's fragment (`#token=…`), which is removed from the URL immediately, so that neither the history nor a
 * screenshot contains it. Undefined until it was read, null if there is none.
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
