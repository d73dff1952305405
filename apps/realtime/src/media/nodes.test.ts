/** Which media node a new call gets. */
import pino from 'pino';
import { expect, test } from 'vitest';
import { MediaNodes } from './nodes.ts';
import type { MediaSocket } from './nodes.ts';

const socket = { disconnect: () => undefined } as unknown as MediaSocket;

function nodesOf(...ids: string[]): MediaNodes {
  const nodes = new MediaNodes(pino({ level: 'silent' }));
  for (const id of ids) nodes.add(id, { socket, startedAt: '', capacity: 100 });
  return nodes;
}

test('the node with the most free capacity gets the next call, and calls that it has not reported yet count', () => {
  const nodes = nodesOf('a', 'b');
  nodes.setLoad('a', { legs: 1 });
  expect([1, 2, 3].map(() => nodes.leastLoaded())).toEqual(['b', 'a', 'b']);
});

test('a draining node gets no call, also after it has reconnected', () => {
  const nodes = nodesOf('a', 'b');
  nodes.setLoad('a', { legs: 0, draining: true });
  nodes.setLoad('b', { legs: 50, draining: false });
  expect(nodes.leastLoaded()).toBe('b');
  nodes.add('a', { socket: { ...socket } as MediaSocket, startedAt: '', capacity: 100 });
  expect(nodes.leastLoaded()).toBe('b');
  nodes.setLoad('b', { draining: true });
  expect(nodes.leastLoaded()).toBeNull();
});
