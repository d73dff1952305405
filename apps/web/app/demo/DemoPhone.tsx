'use client';

import { useAgent, usePhone } from '@clarion/phone';
import { AgentPhone } from '@clarion/ui';
import { useCallback, useEffect } from 'react';
import { PUSH_WORKER_PATH } from '#lib/embed/push-worker.ts';

const webPush = { serviceWorkerUrl: PUSH_WORKER_PATH };

interface DemoPhoneProps {
  agentRef: string;
}

/** The phone of one demo agent. What `/demo/token` and `/demo/call` do here, your backend does in your product. */
export function DemoPhone({ agentRef }: DemoPhoneProps) {
  const getToken = useCallback(async () => {
    const { token } = await askDemo<{ token: string }>(`/demo/token?agent=${encodeURIComponent(agentRef)}`);
    return token;
  }, [agentRef]);
  const createCall = useCallback(
    async (lineRef: string, number: string) => {
      const { callId } = await askDemo<{ callId: number }>('/demo/call', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ agent_ref: agentRef, channel_ref: lineRef, to: number }),
      });
      return callId;
    },
    [agentRef],
  );
  const signedIn = useAgent(undefined, getToken);
  const { model, actions } = usePhone(signedIn, { createCall, webPush });

  // The agent goes available automatically, so that the first call rings.
  const { agent } = signedIn;
  useEffect(() => {
    if (agent?.info?.shift === 'OFFLINE') agent.setAvailability('AVAILABLE').catch(() => undefined);
  }, [agent]);

  return <AgentPhone model={model} actions={actions} />;
}

/** @throws Error with a message for the user */
async function askDemo<T>(path: string, init?: RequestInit): Promise<T> {
  const response = await fetch(path, { cache: 'no-store', ...init });
  const body: unknown = await response.json().catch(() => null);
  if (response.ok) return body as T;
  if (response.status === 404 && path.startsWith('/demo/token'))
    throw new Error('This installation has no demo account. npm start creates one on its first start.');
  throw new Error(messageOf(body) ?? `The service responded with status ${response.status}.`);
}

function messageOf(body: unknown): string | null {
  if (typeof body !== 'object' || body === null || !('error' in body)) return null;
  const { error } = body;
  return typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : null;
}
