import type { Agent, AgentCall, ConnectionState } from '@clarion/sdk';
import { useEffect, useRef } from 'react';

/** The events that the embedding page receives. */
export type PhoneEvent =
  | { type: 'incoming'; call: AgentCall }
  | { type: 'state'; state: 'dialing' | 'active' | 'ended'; call: AgentCall }
  | { type: 'ended'; call: AgentCall }
  | { type: 'connection'; state: ConnectionState; error: string | null };

/** @param error why the agent is not connected */
export function usePhoneEvents(
  agent: Agent | null,
  error: string | null,
  onEvent: ((event: PhoneEvent) => void) | undefined,
): void {
  const tell = useRef(onEvent);
  useEffect(() => {
    tell.current = onEvent;
  });
  useEffect(() => {
    if (error !== null) tell.current?.({ type: 'connection', state: 'disconnected', error });
  }, [error]);
  useEffect(() => {
    if (!agent) return;
    const say = (event: PhoneEvent) => tell.current?.(event);
    say({ type: 'connection', state: agent.connection, error: null });
    const offs = [
      agent.on('incoming', ({ info }) => say({ type: 'incoming', call: structuredClone(info) })),
      agent.on('state', (state, { info }) => {
        const call = structuredClone(info);
        say({ type: 'state', state, call });
        if (state === 'ended') say({ type: 'ended', call });
      }),
      agent.on('connection', (state, reason) =>
        say({ type: 'connection', state, error: reason?.message ?? null }),
      ),
    ];
    return () => offs.forEach((off) => off());
  }, [agent]);
}
