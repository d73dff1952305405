'use client';

import { ClarionError, connect, type Agent, type GetToken } from '@clarion/sdk';
import { useCallback, useEffect, useState } from 'react';

export interface SignedIn {
  agent: Agent | null;
  /** Why there is no agent, once it is clear. */
  error: string | null;
  reconnect(): void;
}

/** Signs in while the component is there. Without `url` at the page's own origin. `getToken` must stay the same function. */
export function useAgent(url: string | undefined, getToken: GetToken): SignedIn {
  const [attempt, setAttempt] = useState(0);
  const [agent, setAgent] = useState<Agent | null>(null);
  const [error, setError] = useState<string | null>(null);

  useEffect(() => {
    let over = false;
    let connected: Agent | null = null;
    setAgent(null);
    setError(null);
    connect({ url: url ?? location.origin, getToken }).then(
      (signedIn) => {
        connected = signedIn;
        if (over) signedIn.disconnect();
        else setAgent(signedIn);
      },
      (reason: unknown) => {
        if (!over) setError(sentenceOf(reason));
      },
    );
    return () => {
      over = true;
      connected?.disconnect();
    };
  }, [url, getToken, attempt]);

  const reconnect = useCallback(() => setAttempt((count) => count + 1), []);
  return { agent, error, reconnect };
}

/** What went wrong, for the person at the phone. */
export function sentenceOf(error: unknown): string {
  if (error instanceof ClarionError) {
    if (error.code === 'token_failed' && error.cause instanceof Error) return error.cause.message;
    return error.message;
  }
  return error instanceof Error ? error.message : String(error);
}
