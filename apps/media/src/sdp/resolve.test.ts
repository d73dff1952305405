import { afterEach, describe, expect, test, vi } from 'vitest';
import { parseCarrierSdp, type CarrierSdp } from './carrier.ts';
import {
  limitLookups,
  resolveHost,
  RESOLVE_TIMEOUT_MS,
  resolveHostName,
  type ResolveHost,
} from './resolve.ts';

afterEach(() => vi.useRealTimers());

const naming = (host: string): CarrierSdp =>
  parseCarrierSdp(
    [
      'v=0',
      'o=- 1 1 IN IP4 a.example',
      's=-',
      `c=IN IP4 ${host}`,
      't=0 0',
      'm=audio 5000 RTP/AVP 0',
      '',
    ].join('\r\n'),
  );
const failing =
  (code: string): ResolveHost =>
  () =>
    Promise.reject(Object.assign(new Error(code), { code }));

describe('a host name in an SDP', () => {
  test('is resolved to an address of our sockets’ family', async () => {
    const resolve: ResolveHost = (name) => {
      expect(name).toBe('media.example');
      return Promise.resolve(['2001:db8::1', '192.0.2.1', '192.0.2.2']);
    };
    const remote = naming('media.example');
    expect(await resolveHostName(remote, '0.0.0.0', resolve)).toEqual({ ...remote, address: '192.0.2.1' });
    expect((await resolveHostName(remote, '::', resolve)).address).toBe('2001:db8::1');
  });

  test('is looked up by the system', async () => {
    expect((await resolveHostName(naming('localhost'), '127.0.0.1', resolveHost)).address).toBe('127.0.0.1');
  });

  test.each([
    ['does not exist', 488, failing('ENOTFOUND')],
    ['has no address', 488, () => Promise.resolve([])],
    ['has only IPv6 addresses while media uses IPv4', 488, () => Promise.resolve(['2001:db8::1'])],
    ['cannot be looked up', 500, failing('EAI_AGAIN')],
  ] as [string, number, ResolveHost][])('that %s is rejected with %i', async (_what, status, resolve) => {
    await expect(resolveHostName(naming('media.example'), '127.0.0.1', resolve)).rejects.toMatchObject({
      status,
    });
  });

  test('that takes too long is rejected with 500', async () => {
    vi.useFakeTimers();
    const lookups = resolveHostName(naming('media.example'), '127.0.0.1', () => new Promise(() => undefined));
    const failure = lookups.catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(RESOLVE_TIMEOUT_MS);
    expect(await failure).toMatchObject({ status: 500, message: expect.stringContaining('media.example') });
  });
});

test('an address is used without a lookup', async () => {
  const remote = naming('192.0.2.9');
  expect(await resolveHostName(remote, '127.0.0.1', failing('unexpected lookup'))).toBe(remote);
});

describe('lookups with a name server that does not respond', () => {
  /** Each name is resolved when the test says so. */
  function server() {
    const lookups = new Map<string, (addresses: string[]) => void>();
    const resolve = limitLookups(
      (name) => new Promise<readonly string[]>((answer) => lookups.set(name, answer)),
      2,
    );
    return { resolve, lookups };
  }

  test('use no more threads than allowed; others wait', async () => {
    const { resolve, lookups } = server();
    const all = ['a', 'b', 'c'].map(resolve);
    expect([...lookups.keys()]).toEqual(['a', 'b']);
    lookups.get('a')?.(['192.0.2.1']);
    await vi.waitFor(() => expect(lookups.has('c')).toBe(true));
    lookups.get('b')?.([]);
    lookups.get('c')?.(['192.0.2.3']);
    expect(await Promise.all(all)).toEqual([['192.0.2.1'], [], ['192.0.2.3']]);
  });

  test('are shared by all concurrent requests for the same name', async () => {
    const { resolve, lookups } = server();
    const all = [resolve('a'), resolve('a'), resolve('b')];
    expect(lookups.size).toBe(2);
    lookups.get('a')?.(['192.0.2.1']);
    lookups.get('b')?.([]);
    expect(await Promise.all(all)).toEqual([['192.0.2.1'], ['192.0.2.1'], []]);
  });

  test('are not started after their caller has stopped waiting', async () => {
    vi.useFakeTimers();
    const { resolve, lookups } = server();
    void resolve('a');
    void resolve('b');
    const late = resolve('c').catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(RESOLVE_TIMEOUT_MS);
    lookups.get('a')?.([]);
    expect(await late).toMatchObject({ status: 500 });
    expect(lookups.has('c')).toBe(false);
  });
});
