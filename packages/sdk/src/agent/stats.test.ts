import { expect, test } from 'vitest';
import { readTotals, sampleBetween, type StatsTotals } from './stats.ts';

const report = [
  { type: 'inbound-rtp', packetsReceived: 100, packetsLost: 2, jitter: 0.004, codecId: 'in' },
  { type: 'outbound-rtp', packetsSent: 90 },
  { type: 'candidate-pair', nominated: true, currentRoundTripTime: 0.02 },
  { type: 'codec', id: 'in', mimeType: 'audio/PCMU' },
  { type: 'codec', id: 'out', mimeType: 'audio/opus' },
];

test('totals are in milliseconds, with the round-trip time from RTCP if available', () => {
  const totals = { packetsReceived: 100, packetsLost: 2, packetsSent: 90, jitterMs: 4, codec: 'PCMU' };
  expect(readTotals(report)).toEqual({ ...totals, roundTripMs: 20 });
  expect(readTotals([...report, { type: 'remote-inbound-rtp', roundTripTime: 0.05 }])).toEqual({
    ...totals,
    roundTripMs: 50,
  });
});

test('a sample is the difference between two readings', () => {
  const before: StatsTotals = {
    packetsReceived: 100,
    packetsLost: 2,
    packetsSent: 90,
    jitterMs: 4,
    roundTripMs: 20,
    codec: 'PCMU',
  };
  const after: StatsTotals = { ...before, packetsReceived: 145, packetsLost: 7, packetsSent: 140 };
  expect(sampleBetween(before, after)).toMatchObject({
    lossRatio: 0.1,
    lossPercent: 10,
    packetsReceived: 45,
    packetsLost: 5,
    codec: 'PCMU',
    packetsSent: 50,
  });
});

test('a second without expected packets has no loss and no score', () => {
  const totals = readTotals(report);
  expect(sampleBetween(totals, totals)).toMatchObject({ lossRatio: null, mos: null, packetsReceived: 0 });
});

test('totals that decrease because of late packets do not cause a negative loss', () => {
  const before: StatsTotals = {
    packetsReceived: 100,
    packetsLost: 5,
    packetsSent: 0,
    jitterMs: 0,
    roundTripMs: 0,
    codec: null,
  };
  expect(sampleBetween(before, { ...before, packetsReceived: 150, packetsLost: 3 }).lossRatio).toBe(0);
});
