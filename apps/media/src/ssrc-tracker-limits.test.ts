/** Limits on how often a remote party can make the node search for the leg of an unknown SSRC. */
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ReceiveCounters } from './endpoint/mediasoup-endpoint.ts';
import { SsrcTracker, type TrackedLeg } from './ssrc-tracker.ts';
import type { MediaWorker } from './worker-pool.ts';

const PCMA = 8;
const KEYS = 101;
/** Only its identity is used. */
const worker = {} as MediaWorker;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

interface Leg extends TrackedLeg {
  /** SSRC of the packets that arrive, which may have no producer; null: nothing arrives. */
  sends: number | null;
  wireBytes: number;
  packets: number;
  readings: number;
  followed: number[];
  keys: number[];
  takenBackCount: number;
}

/** A leg on mediasoup whose remote party sends 50 packets a second. */
function relayed(legId: string, ssrc: number): Leg {
  const mediasoupEndpoint = {
    ssrc,
    dtmfPayloadTypes: [KEYS],
    counters: (): Promise<ReceiveCounters> => {
      leg.readings += 1;
      const { wireBytes, packets } = leg;
      return Promise.resolve({ wireBytes, packets, voiceBytes: packets * 172 });
    },
    switchVoiceSsrc: (next: number) => {
      leg.followed.push(next);
      mediasoupEndpoint.ssrc = next;
      return Promise.resolve();
    },
    addDtmfSsrc: (next: number) => {
      leg.keys.push(next);
      return Promise.resolve();
    },
  };
  const leg: Leg = {
    callId: 1,
    legId,
    mediasoupEndpoint,
    sends: ssrc,
    wireBytes: 0,
    packets: 0,
    readings: 0,
    followed: [],
    keys: [],
    takenBackCount: 0,
    relearnStream: () => (leg.takenBackCount += 1),
  };
  return leg;
}

const started = (legs: readonly Leg[]) =>
  new SsrcTracker(() => legs.filter((leg) => leg.takenBackCount === 0), pino({ level: 'silent' }));

/** Runs for `ms`: a packet of every leg each 20 ms, and `flood` every millisecond. */
async function runs(
  follower: SsrcTracker,
  legs: readonly Leg[],
  ms: number,
  flood: (n: number) => void = () => undefined,
): Promise<void> {
  for (let n = 0; n < ms; n += 1) {
    flood(n);
    for (const leg of n % 20 === 0 ? legs : []) {
      if (leg.sends === null) continue;
      leg.wireBytes += 172;
      if (leg.sends === leg.mediasoupEndpoint?.ssrc) leg.packets += 1;
      else follower.dropped(worker, { reason: 'unknown-ssrc', ssrc: leg.sends, payloadType: PCMA });
    }
    await vi.advanceTimersByTimeAsync(1);
  }
}

describe('a remote party that sends every packet with another SSRC', () => {
  test('is taken back, and the counters of other calls are read only a few times', async () => {
    const [hostile, ...others] = [1, 2, 3, 4].map((n) => relayed(`leg-${n}`, n));
    if (!hostile) throw new Error('there is a first leg');
    hostile.sends = null;
    const follower = started([hostile, ...others]);
    await runs(follower, [hostile, ...others], 5_000, (n) => {
      hostile.wireBytes += 172;
      if (hostile.takenBackCount > 0) return;
      follower.dropped(worker, { reason: 'unknown-ssrc', ssrc: 1_000 + n, payloadType: PCMA });
    });
    expect(hostile.takenBackCount).toBe(1);
    for (const other of others) {
      expect(other.readings).toBeLessThan(40);
      expect(other).toMatchObject({ followed: [], takenBackCount: 0 });
    }
  });

  test('as DTMF, is taken back, and no other leg listens for it', async () => {
    const [hostile, other] = [relayed('hostile', 1), relayed('other', 2)];
    const legs = [hostile, other];
    const follower = started(legs);
    await runs(follower, legs, 3_000, (n) => {
      if (hostile.takenBackCount > 0) return;
      hostile.wireBytes += 16;
      follower.dropped(worker, { reason: 'unknown-ssrc', ssrc: 1_000 + n, payloadType: KEYS });
    });
    expect(hostile.takenBackCount).toBe(1);
    expect(hostile.keys.length).toBeLessThan(10);
    expect(other).toMatchObject({ keys: [], takenBackCount: 0 });
    expect(other.readings).toBeLessThan(40);
  });

  test('that belongs to no leg causes at most two searches a second', async () => {
    const leg = relayed('leg', 1);
    const follower = started([leg]);
    await runs(follower, [leg], 5_000, (n) =>
      follower.dropped(worker, { reason: 'unknown-ssrc', ssrc: 1_000 + n, payloadType: PCMA }),
    );
    expect(leg.readings).toBeLessThanOrEqual(2 * 2 * 5);
  });
});

describe('remote parties that change their SSRC once', () => {
  test('one after the other are each tracked', async () => {
    const legs = [1, 2, 3].map((n) => relayed(`leg-${n}`, n));
    const follower = started(legs);
    for (const [index, leg] of legs.entries()) {
      leg.sends = 100 + index;
      await runs(follower, legs, 500);
    }
    expect(legs.map(({ followed }) => followed)).toEqual([[100], [101], [102]]);
  });

  test('all at the same moment are found by one search', async () => {
    const legs = [1, 2, 3].map((n) => relayed(`leg-${n}`, n));
    for (const [index, leg] of legs.entries()) leg.sends = 100 + index;
    await runs(started(legs), legs, 300);
    expect(legs.map(({ takenBackCount }) => takenBackCount)).toEqual([1, 1, 1]);
    expect(Math.max(...legs.map(({ readings }) => readings))).toBe(3);
  });

  test('during the search for another are found by the next search', async () => {
    const [first, second] = [relayed('first', 1), relayed('second', 2)];
    const legs = [first, second];
    const follower = started(legs);
    first.sends = 100;
    await runs(follower, legs, 90);
    second.sends = 200;
    await runs(follower, legs, 500);
    expect([first.followed, second.followed]).toEqual([[100], [200]]);
  });
});
