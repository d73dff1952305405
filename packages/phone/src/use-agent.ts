'use client';

import { ClarionError, connect, type Agent, type GetToken } from '@clarion/sdk';
import { useCallback, useEffect, useState } from 'react';

export interface SignedIn {
  agent: Agent | null;
  /** Why the agent could not connect; null if it has not failed. */
  error: string | null;
  reconnect(): void;
}

/** Connects while the component is mounted, by default to the page's origin. `getToken` must be a stable function. */
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
        if (!over) setError(errorMessageOf(reason));
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

/** The error message for the agent. */
export function errorMessageOf(error: unknown): string {
  if (error instanceof ClarionError) {
    if (error.code === 'token_failed' && error.cause instanceof Error) return error.cause.message;
    return error.message;
  }
  return error instanceof Error ? error.message : String(error);
}
