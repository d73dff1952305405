import type { Agent } from '@clarion/sdk';
import { useCallback, useEffect, useState } from 'react';
import {
  emptyHistory,
  endedCall,
  keepHistory,
  readHistory,
  withCall,
  withdrawnCall,
  withNote,
  type History,
} from './history.ts';

export interface PhoneHistory extends History {
  setNote(callId: number, text: string): void;
}

/** Today's calls of this agent in this browser tab. The calls and their notes survive a reload. */
export function useHistory(agent: Agent | null): PhoneHistory {
  const [history, setHistory] = useState(emptyHistory);
  const scope = agent?.info ? `clarion:history:${agent.tenant?.ref ?? ''}:${agent.info.agentRef}` : null;

  const change = useCallback(
    (step: (before: History) => History) =>
      setHistory((before) => {
        const after = step(before);
        if (scope !== null) keepHistory(scope, after);
        return after;
      }),
    [scope],
  );

  useEffect(() => {
    setHistory(scope === null ? emptyHistory : readHistory(scope, new Date()));
  }, [scope]);

  useEffect(() => {
    if (!agent) return;
    const offset = () => agent.serviceTime.getTime() - Date.now();
    const offs = [
      agent.on('state', (state, { info }) => {
        if (state === 'ended') change((before) => withCall(before, endedCall(info, offset())));
      }),
      agent.on('withdrawn', ({ info }, reason) => {
        const past = withdrawnCall(info, reason, offset());
        if (past) change((before) => withCall(before, past));
      }),
    ];
    return () => offs.forEach((off) => off());
  }, [agent, change]);

  const setNote = useCallback(
    (callId: number, text: string) => change((before) => withNote(before, callId, text)),
    [change],
  );
  return { ...history, setNote };
}
