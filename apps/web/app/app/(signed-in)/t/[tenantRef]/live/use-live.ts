'use client';

/** The connection to the board: authenticated by a ticket and re-established until access is denied. */
import type { MonitorMode, Watcher } from '@clarion/sdk';
import { useEffect, useState } from 'react';
import { request, RequestProblem } from '#lib/dashboard/request.ts';
import { BoardStore } from './board-store.ts';

/** Delay before a retry of the first connection. The SDK retries later ones. */
const FIRST_RETRY_MS = 2_000;

export interface Live {
  store: BoardStore;
  /** Null before the first connection. */
  watcher: Watcher | null;
  /** live: current. lost: out of date, reconnecting. over: ended, see `problem`. */
  state: 'connecting' | 'live' | 'lost' | 'over';
  problem: RequestProblem | null;
  /** The actions that this user may perform on calls. */
  modes: readonly MonitorMode[];
  /** How far the service's clock is ahead of this machine's. */
  clockOffsetMs: number;
}

type Facts = Omit<Live, 'store'>;
const atFirst: Facts = { watcher: null, state: 'connecting', problem: null, modes: [], clockOffsetMs: 0 };

export function useLive(tenantRef: string): Live {
  const [store, setStore] = useState(() => new BoardStore());
  const [facts, setFacts] = useState(atFirst);

  useEffect(() => {
    const mine = new BoardStore();
    setStore(mine);
    setFacts(atFirst);
    return followBoard(tenantRef, mine, (change) => setFacts((before) => ({ ...before, ...change })));
  }, [tenantRef]);

  return { store, ...facts };
}

/** @returns a function that ends it */
function followBoard(
  tenantRef: string,
  store: BoardStore,
  say: (change: Partial<Facts>) => void,
): () => void {
  let over = false;
  let watcher: Watcher | null = null;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let unfollow = () => {};

  const end = (problem: RequestProblem) => {
    over = true;
    watcher?.close();
    say({ state: 'over', problem });
  };
  const getTicket = async () => {
    try {
      return (await request('POST', '/v1/realtime-tickets', { body: { tenant_ref: tenantRef } })).ticket;
    } catch (error) {
      if (error instanceof RequestProblem && isFinal(error)) end(error);
      throw error;
    }
  };
  const begin = async () => {
    const { watch } = await import('@clarion/sdk');
    const made = await watch({ url: window.location.origin, getTicket });
    if (over) return made.close();
    watcher = made;
    const look = () =>
      say({
        watcher: made,
        modes: made.modes,
        clockOffsetMs: made.serviceTime.getTime() - Date.now(),
      });
    made.on('updated', look);
    made.on('connection', (state) => {
      if (state !== 'connected' && !over) say({ state: 'lost' });
    });
    look();
    const board = await made.subscribeBoard();
    // Live when the whole board has been received, not when connected.
    board.on('agents', ({ complete }) => {
      if (complete && !over) say({ state: 'live' });
    });
    unfollow = store.follow(board);
    say({ state: 'live' });
  };
  const connectOrRetry = () => {
    begin().catch(() => {
      watcher?.close();
      if (!over) retry = setTimeout(connectOrRetry, FIRST_RETRY_MS);
    });
  };
  connectOrRetry();

  return () => {
    over = true;
    clearTimeout(retry);
    unfollow();
    watcher?.close();
  };
}

/** Errors after which a retry with the same session would fail again. 400: the tenant was deleted. */
const isFinal = ({ status }: RequestProblem) => [400, 401, 402, 403].includes(status);
