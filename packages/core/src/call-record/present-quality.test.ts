import { expect, test } from 'vitest';
import { presentQuality } from './present-quality.ts';

const stats = {
  codec: 'PCMA',
  durationMs: 20_000,
  receivedPackets: 900,
  lostPackets: 100,
  jitterMs: 5,
  roundTripMs: 40,
  sentPackets: 1_000,
  remoteLossPercent: 0,
  moves: 1,
};

test("a leg's quality describes what it sent, with loss as a share and an opinion score", () => {
  expect(presentQuality(stats)).toEqual({
    codec: 'PCMA',
    receivedPackets: 900,
    lostPackets: 100,
    lossPercent: 10,
    jitterMs: 5,
    roundTripMs: 40,
    mos: 3.33,
  });
});

test('a leg without statistics, with unknown statistics or without packets has no quality', () => {
  expect(presentQuality(null)).toBeNull();
  expect(presentQuality({ remote: '+4930' })).toBeNull();
  expect(presentQuality({ ...stats, receivedPackets: 0 })).toBeNull();
});
