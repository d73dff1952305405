import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildRtp, parseRtp } from '../rtp/packet.ts';
import { RemoteSsrc } from './remote-ssrc.ts';

const OPUS = 111;
const EVENTS = 126;

function packet(ssrc: number, payloadType = OPUS, sequenceNumber = 1): Buffer {
  const payload = Buffer.alloc(20);
  return buildRtp({ payloadType, marker: false, sequenceNumber, timestamp: 1, ssrc, payload });
}

/** mediasoup is prepared for the SSRC of the description. */
function following(current: number | null): { remote: RemoteSsrc; changes: number[] } {
  const changes: number[] = [];
  const remote = new RemoteSsrc(OPUS, current, (ssrc) => changes.push(ssrc));
  if (current !== null) remote.prepared();
  return { remote, changes };
}

const sequenceNumbers = (datagrams: readonly Buffer[]) =>
  datagrams.map((datagram) => parseRtp(datagram)?.sequenceNumber);

test('the announced SSRC is relayed, for audio and for events', () => {
  const { remote, changes } = following(7);
  expect([remote.judge(packet(7)), remote.judge(packet(7, EVENTS))]).toEqual(['relay', 'relay']);
  expect(changes).toEqual([]);
});

test('without an announcement, the first audio decides', () => {
  const { remote, changes } = following(null);
  expect(remote.judge(packet(5, EVENTS))).toBe('drop');
  expect(remote.judge(packet(8, OPUS, 65_535))).toBe('keep');
  expect(changes).toEqual([8]);
  expect(remote.judge(packet(8, EVENTS, 0))).toBe('keep');
  expect(sequenceNumbers(remote.prepared())).toEqual([65_535, 0]);
  expect(remote.judge(packet(8))).toBe('relay');
});

test('a known SSRC is given up for one that has replaced it, and not for single packets', () => {
  const { remote, changes } = following(7);
  for (let round = 0; round < 10; round += 1) {
    for (let forged = 0; forged < 4; forged += 1) expect(remote.judge(packet(9))).toBe('keep');
    expect(remote.judge(packet(7))).toBe('relay');
  }
  expect(changes).toEqual([]);
  for (let sent = 0; sent < 5; sent += 1) remote.judge(packet(9, OPUS, sent));
  expect(changes).toEqual([9]);
  expect(remote.judge(packet(9, OPUS, 5))).toBe('keep');
  expect(sequenceNumbers(remote.prepared())).toEqual([0, 1, 2, 3, 4, 5]);
  expect([remote.judge(packet(9)), remote.judge(packet(7))]).toEqual(['relay', 'keep']);
});

test('while mediasoup is being prepared for an SSRC, others are dropped, and a second of audio is kept', () => {
  const { remote } = following(null);
  const verdicts = Array.from({ length: 60 }, () => remote.judge(packet(8)));
  expect(verdicts.filter((verdict) => verdict === 'keep')).toHaveLength(50);
  expect(remote.judge(packet(9))).toBe('drop');
  expect(remote.prepared()).toHaveLength(50);
});

test('RTCP is always relayed', () => {
  const report = Buffer.alloc(28);
  report.writeUInt8(0x81, 0);
  report.writeUInt8(201, 1);
  expect(following(7).remote.judge(report)).toBe('relay');
});

test('whatever arrives, changes are few, and only the SSRC reported last is relayed, without loss', () => {
  const audio = fc.record({ ssrc: fc.nat({ max: 3 }), prepared: fc.boolean() });
  const noise = fc.uint8Array({ maxLength: 40 }).map(Buffer.from);
  fc.assert(
    fc.property(fc.array(fc.oneof(audio, noise), { maxLength: 400 }), (arriving) => {
      const { remote, changes } = following(null);
      let prepared = 0;
      let waiting = 0;
      for (const one of arriving) {
        if (Buffer.isBuffer(one)) {
          remote.judge(one);
          continue;
        }
        const known = changes.at(-1);
        const verdict = remote.judge(packet(one.ssrc));
        if (one.ssrc === known)
          expect(verdict).toBe(prepared === changes.length ? 'relay' : waiting < 50 ? 'keep' : 'drop');
        else expect(verdict).not.toBe('relay');
        if (changes.at(-1) !== known) waiting = changes.length === 1 ? 1 : 5;
        else if (one.ssrc === known && verdict === 'keep') waiting += 1;
        if (!one.prepared || prepared === changes.length) continue;
        prepared = changes.length;
        const kept = remote.prepared();
        expect(kept.map((datagram) => datagram.readUInt32BE(8))).toEqual(Array(waiting).fill(changes.at(-1)));
      }
      expect(changes.length).toBeLessThanOrEqual(32);
    }),
  );
});
