'use client';

/** What every row needs in addition to its ID. It changes with the connection and the monitor, not with calls. */
import type { BoardAgent, BoardCall, QueueCounters } from '@clarion/sdk';
import { createContext, use, useCallback, useSyncExternalStore } from 'react';
import type { Live } from './use-live.ts';
import type { Listening } from './use-listening.ts';
import type { BoardStore } from './board-store.ts';

export interface LiveTools {
  tenantRef: string;
  live: Live;
  listening: Listening;
  /** Asks for confirmation. Null: not allowed. */
  endCall: ((callId: number) => void) | null;
}

export const LiveContext = createContext<LiveTools | null>(null);

export function useTools(): LiveTools {
  const tools = use(LiveContext);
  if (tools === null) throw new Error('only on the live board');
  return tools;
}

/** Converts a time of the service to this machine's clock, in milliseconds. */
export const useLocalTime = () => {
  const { clockOffsetMs } = useTools().live;
  return (iso: string): number => Date.parse(iso) - clockOffsetMs;
};

function useRow<T>(name: string, read: (store: BoardStore) => T): T {
  const { store } = useTools().live;
  const subscribe = useCallback((listener: () => void) => store.subscribeRow(name, listener), [store, name]);
  const get = () => read(store);
  return useSyncExternalStore(subscribe, get, get);
}

export const useCall = (callId: number): BoardCall | undefined =>
  useRow(`call:${callId}`, (store) => store.call(callId));
export const useAgent = (agentId: number): BoardAgent | undefined =>
  useRow(`agent:${agentId}`, (store) => store.agent(agentId));
export const useQueue = (queueId: number): QueueCounters | undefined =>
  useRow(`queue:${queueId}`, (store) => store.queue(queueId));

/** A list or the totals: the same value until it changes. */
export function useBoard<T>(read: (store: BoardStore) => T): T {
  const { store } = useTools().live;
  const get = () => read(store);
  return useSyncExternalStore(store.subscribe, get, get);
}
