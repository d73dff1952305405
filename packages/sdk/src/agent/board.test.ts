import type { BoardSnapshot } from '@clarion/protocol/socket';
import { expect, test } from 'vitest';
import { Board, type BoardHost } from './board.ts';
import { ClarionError, type ClarionErrorCode } from './errors.ts';

const snapshot: BoardSnapshot = { calls: [], queues: [], agents: [] };

/** A connection on which the first requests fail with these codes. */
function failing(codes: ClarionErrorCode[]) {
  let requests = 0;
  const host = {
    request: () => {
      requests += 1;
      const code = codes.shift();
      return code === undefined
        ? Promise.resolve(snapshot)
        : Promise.reject(new ClarionError(code, 'The request failed.'));
    },
  } as unknown as BoardHost;
  return { board: new Board(host), requests: () => requests };
}

test('a refresh that fails is repeated while the connection is open', async () => {
  const { board, requests } = failing(['internal_error', 'request_timeout']);
  const refreshed = new Promise((resolve) => board.on('counters', resolve));
  await board.resubscribe();
  await refreshed;
  expect(requests()).toBe(3);
});

test('a refresh is not repeated on a lost connection, which brings a new session, or without permission', async () => {
  const lost = failing(['connection_lost']);
  await lost.board.resubscribe();
  expect(lost.board.active).toBe(true);
  const forbidden = failing(['forbidden']);
  await forbidden.board.resubscribe();
  expect(forbidden.board.active).toBe(false);
  expect([lost.requests(), forbidden.requests()]).toEqual([1, 1]);
});
