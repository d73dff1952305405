import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  CLOCK,
  clockRecord,
  END,
  packetBytes,
  readRecords,
  voiceRecord,
  writePacket,
  type SpooledPacket,
  type SpoolVisitor,
} from './spool-format.ts';

class RecordingVisitor implements SpoolVisitor {
  readonly all: unknown[] = [];
  voice(...what: unknown[]) {
    this.all.push(['voice', ...what]);
  }
  packet(packet: SpooledPacket) {
    this.all.push(['packet', { ...packet, payload: packet.payload.toString('hex') }]);
  }
  clock(...what: unknown[]) {
    this.all.push(['clock', ...what]);
  }
}

const packet = fc.record({
  at: fc.nat(0xffff_ffff),
  voice: fc.nat(254),
  law: fc.constantFrom('PCMU' as const, 'PCMA' as const),
  sequenceNumber: fc.nat(0xffff),
  timestamp: fc.nat(0xffff_ffff),
  ssrc: fc.nat(0xffff_ffff),
  payload: fc.uint8Array({ maxLength: 320 }).map((bytes) => Buffer.from(bytes)),
});
const asRecord = (one: SpooledPacket): Buffer => {
  const bytes = Buffer.alloc(packetBytes(one.payload.length));
  writePacket(bytes, 0, one);
  return bytes;
};
const record = fc.oneof(
  packet.map(asRecord),
  fc
    .record({ index: fc.nat(254), legId: fc.string({ maxLength: 64 }) })
    .map(({ index, legId }) => voiceRecord(index, index % 2 === 0 ? 'left' : 'right', legId)),
  fc.nat(0xffff_ffff).map((at) => clockRecord(at % 2 === 0 ? CLOCK : END, at)),
);

const readAll = (bytes: Buffer) => {
  const records = new RecordingVisitor();
  return { records: records.all, ...readRecords(bytes, 0, records) };
};

test('a packet is read as it was written', () => {
  fc.assert(
    fc.property(packet, (one) => {
      const { payload, ...numbers } = one;
      expect(readAll(asRecord(one)).records).toEqual([
        ['packet', { ...numbers, payload: payload.toString('hex') }],
      ]);
    }),
  );
});

test('a spool truncated at any byte is read up to its last complete record', () => {
  fc.assert(
    fc.property(fc.array(record, { minLength: 1, maxLength: 20 }), fc.nat(), (records, where) => {
      const bytes = Buffer.concat(records);
      const cut = where % (bytes.length + 1);
      const whole = readAll(bytes);
      const part = readAll(bytes.subarray(0, cut));
      expect(whole).toMatchObject({ offset: bytes.length, damaged: false });
      expect(part.damaged).toBe(false);
      expect(part.records).toEqual(whole.records.slice(0, part.records.length));
      expect(part.offset).toBeLessThanOrEqual(cut);
    }),
  );
});

test('reading ends at invalid data: a file system may leave zeros after a power failure', () => {
  const good = clockRecord(CLOCK, 8000);
  const { records, offset, damaged } = readAll(Buffer.concat([good, Buffer.alloc(500)]));
  expect({ records, offset, damaged }).toEqual({
    records: [['clock', 8000, false]],
    offset: good.length,
    damaged: true,
  });
});
