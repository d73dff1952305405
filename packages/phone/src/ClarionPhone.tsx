'use client';

import type { GetToken } from '@clarion/sdk';
import { AgentPhone } from '@clarion/ui';
import { useAgent } from './use-agent.ts';
import { usePhone } from './use-phone.ts';

export interface ClarionPhoneProps {
  /** The service's base URL; by default the page's own origin. */
  url?: string;
  /** Fetches a fresh agent token from your backend. It must stay the same function. */
  getToken: GetToken;
  /** Creates an outbound intent at your backend and resolves with its call id. Without it the phone does not dial. */
  createCall?(lineRef: string, number: string): Promise<number>;
}

/** The agent's phone, connected: give it a token and it rings. */
export function ClarionPhone({ url, getToken, createCall }: ClarionPhoneProps) {
  const signedIn = useAgent(url, getToken);
  const { model, actions } = usePhone(signedIn, { createCall: createCall ?? notPossible });
  return <AgentPhone model={model} actions={actions} />;
}

const notPossible = () => Promise.reject(new Error('This page has no way to place calls.'));
