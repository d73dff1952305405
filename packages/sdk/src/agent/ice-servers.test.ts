import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ICE_SERVERS_MAX_AGE_MS, IceServers } from './ice-servers.ts';

const turn = (credential: string) => [{ urls: ['turn:turn.example.com'], username: 'ada', credential }];

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('old credentials are renewed, with one request for all waiting callers', async () => {
  let asked = 0;
  const servers = new IceServers(() => Promise.resolve(turn(`second-${(asked += 1)}`)));
  servers.keep(turn('first'));
  expect(await servers.fresh()).toEqual(turn('first'));
  vi.advanceTimersByTime(ICE_SERVERS_MAX_AGE_MS);
  expect(await Promise.all([servers.fresh(), servers.fresh()])).toEqual([turn('second-1'), turn('second-1')]);
  expect(await servers.fresh()).toEqual(turn('second-1'));
  expect(asked).toBe(1);
});

test('without TURN servers none are requested, and after a failed request the old ones are kept', async () => {
  const servers = new IceServers(() => Promise.reject(new Error('away')));
  servers.keep([]);
  vi.advanceTimersByTime(ICE_SERVERS_MAX_AGE_MS);
  expect(await servers.fresh()).toEqual([]);
  servers.keep(turn('old'));
  vi.advanceTimersByTime(ICE_SERVERS_MAX_AGE_MS);
  expect(await servers.fresh()).toEqual(turn('old'));
});
