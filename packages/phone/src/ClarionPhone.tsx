'use client';

import type { Agent, GetToken } from '@clarion/sdk';
import { AgentPhone } from '@clarion/ui';
import { useEffect, useState } from 'react';
import { useAgent } from './use-agent.ts';
import { usePhoneEvents, type PhoneEvent } from './use-phone-events.ts';
import { usePhone, type PhoneOptions } from './use-phone.ts';

export interface ClarionPhoneProps extends PhoneOptions {
  /** The service's base URL; by default the page's own origin. */
  url?: string | undefined;
  /** Fetches a fresh agent token from your backend. Must be a stable function. */
  getToken: GetToken;
  /** The agent can minimise the phone to a bar that shows the live call. */
  minimisable?: boolean;
  onMinimise?(minimised: boolean): void;
  onEvent?(event: PhoneEvent): void;
  /** The signed-in agent, for what the phone does not do, such as signing out; null while there is none. */
  onAgent?(agent: Agent | null): void;
}

/** The agent's phone, connected with a token. It fills its container. */
export function ClarionPhone(props: ClarionPhoneProps) {
  const { url, getToken, minimisable = false, onMinimise, onEvent, onAgent, ...options } = props;
  const [minimised, setMinimised] = useState(false);
  const signedIn = useAgent(url, getToken);
  const { model, actions } = usePhone(signedIn, options);
  usePhoneEvents(signedIn.agent, signedIn.error, onEvent);
  useEffect(() => onAgent?.(signedIn.agent), [onAgent, signedIn.agent]);
  const minimise = (next: boolean) => {
    setMinimised(next);
    onMinimise?.(next);
  };
  return (
    <AgentPhone
      model={model}
      actions={actions}
      minimised={minimised}
      {...(minimisable && { onMinimise: minimise })}
    />
  );
}
