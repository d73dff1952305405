import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildRtp } from '../rtp/packet.ts';
import { RemoteSsrc } from './remote-ssrc.ts';

const OPUS = 111;
const EVENTS = 126;

function packet(ssrc: number, payloadType = OPUS): Buffer {
  const payload = Buffer.alloc(20);
  return buildRtp({ payloadType, marker: false, sequenceNumber: 1, timestamp: 1, ssrc, payload });
}

function following(current: number | null): { remote: RemoteSsrc; changes: number[] } {
  const changes: number[] = [];
  return { remote: new RemoteSsrc(OPUS, current, (ssrc) => changes.push(ssrc)), changes };
}

test('the announced SSRC is accepted, for audio and for events', () => {
  const { remote, changes } = following(7);
  expect([remote.accepts(packet(7)), remote.accepts(packet(7, EVENTS))]).toEqual([true, true]);
  expect(changes).toEqual([]);
});

test('without an announcement, the first audio decides', () => {
  const { remote, changes } = following(null);
  expect(remote.accepts(packet(5, EVENTS))).toBe(false);
  expect(remote.accepts(packet(8))).toBe(false);
  expect(changes).toEqual([8]);
  expect(remote.accepts(packet(8))).toBe(true);
});

test('a known SSRC is given up for one that has replaced it, and not for single packets', () => {
  const { remote, changes } = following(7);
  for (let round = 0; round < 10; round += 1) {
    for (let forged = 0; forged < 4; forged += 1) expect(remote.accepts(packet(9))).toBe(false);
    expect(remote.accepts(packet(7))).toBe(true);
  }
  expect(changes).toEqual([]);
  for (let sent = 0; sent < 5; sent += 1) remote.accepts(packet(9));
  expect(changes).toEqual([9]);
  expect(remote.accepts(packet(9))).toBe(true);
  expect(remote.accepts(packet(7))).toBe(false);
});

test('RTCP is always accepted', () => {
  const report = Buffer.alloc(28);
  report.writeUInt8(0x81, 0);
  report.writeUInt8(201, 1);
  expect(following(7).remote.accepts(report)).toBe(true);
});

test('whatever arrives, the number of changes is limited, and only the SSRC reported last is accepted', () => {
  const datagrams = fc.array(
    fc.oneof(
      fc.nat({ max: 3 }).map((ssrc) => packet(ssrc)),
      fc.uint8Array({ maxLength: 40 }).map(Buffer.from),
    ),
    { maxLength: 400 },
  );
  fc.assert(
    fc.property(datagrams, (arriving) => {
      const { remote, changes } = following(null);
      for (const datagram of arriving) {
        const accepted = remote.accepts(datagram);
        if (accepted && (datagram[1]! & 0x7f) === OPUS) expect(datagram.readUInt32BE(8)).toBe(changes.at(-1));
      }
      expect(changes.length).toBeLessThanOrEqual(32);
    }),
  );
});
