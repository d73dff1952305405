import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildGoodbye, buildSenderReport, remoteReport } from './rtcp.ts';

const report = {
  ssrc: 7,
  timestamp: 160,
  unixMs: 1_700_000_000_500,
  packets: 3,
  bytes: 480,
  cname: 'leg',
  report: { ssrc: 9, lost: 2, highestSequence: 77, jitter: 3.7 },
};

test('a sender report is padded to 32 bits and has a CNAME and one report block', () => {
  const packet = buildSenderReport(report);
  expect(packet.length % 4).toBe(0);
  expect(packet.readUInt8(1)).toBe(200);
  expect(packet.readUInt16BE(2)).toBe(52 / 4 - 1);
  expect(packet.readUInt32BE(8)).toBe(1_700_000_000 + 2_208_988_800);
  expect(packet.readUInt32BE(28)).toBe(9);
  expect(packet.readUInt8(52 + 1)).toBe(202);
  expect(packet.includes('leg')).toBe(true);
});

test('the loss of our stream is read from the remote party’s report, and no other stream’s', () => {
  const packet = buildSenderReport({
    ...report,
    report: { ssrc: 42, lost: 0, highestSequence: 0, jitter: 0 },
  });
  packet.writeUInt8(64, 32);
  expect(remoteReport(packet, 42, 0)).toEqual({ fractionLost: 0.25, roundTripMs: null });
  expect(remoteReport(packet, 43, 0)).toBeNull();
  expect(remoteReport(buildGoodbye(7), 7, 0)).toBeNull();
});

test('the round-trip time is the time since our report minus the delay at the remote party', () => {
  const sentAt = 1_700_000_000_250;
  const ours = buildSenderReport({ ...report, unixMs: sentAt, report: null });
  const theirs = buildSenderReport({
    ...report,
    report: { ssrc: 42, lost: 0, highestSequence: 0, jitter: 0 },
  });
  ours.copy(theirs, 28 + 16, 10, 14); // the middle 32 bits of the NTP timestamp, echoed by the remote party
  theirs.writeUInt32BE(65_536, 28 + 20); // a delay of one second
  expect(remoteReport(theirs, 42, sentAt + 1_080)?.roundTripMs).toBe(80);
  expect(remoteReport(theirs, 42, sentAt + 500)?.roundTripMs, 'in the future').toBeNull();
});

test('arbitrary bytes cause no error', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 120 }), (bytes) => {
      const fraction = remoteReport(Buffer.from(bytes), 1, 0)?.fractionLost ?? 0;
      expect(fraction).toBeGreaterThanOrEqual(0);
      expect(fraction).toBeLessThan(1);
    }),
  );
});
