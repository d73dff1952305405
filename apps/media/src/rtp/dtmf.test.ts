import fc from 'fast-check';
import { expect, test } from 'vitest';
import { digitPackets, DtmfReader, isDtmfDigits } from './dtmf.ts';

const digits = fc.string({ unit: fc.constantFrom(...'0123456789*#ABCD'), minLength: 1, maxLength: 20 });

test('each digit is read once if at least one of its packets arrives', () => {
  fc.assert(
    fc.property(digits, fc.infiniteStream(fc.boolean()), (text, arrives) => {
      const reader = new DtmfReader();
      let heard = '';
      [...text].forEach((digit, index) => {
        const packets = digitPackets(digit) ?? [];
        const kept = packets.filter((_, at) => at === packets.length - 1 || arrives.next().value);
        for (const packet of kept) heard += reader.read(index * 1_280, packet.payload) ?? '';
      });
      expect(heard).toBe(text);
    }),
  );
});

test('late packets of a digit that arrive after those of the next one are ignored', () => {
  const reader = new DtmfReader();
  const [first, second] = [digitPackets('1') ?? [], digitPackets('2') ?? []];
  const read = (timestamp: number, packet = first[0]) =>
    reader.read(timestamp, packet?.payload ?? Buffer.alloc(0));
  expect(read(4_000_000_000)).toBe('1');
  expect(read(4_000_001_280, second[0])).toBe('2');
  expect(read(4_000_000_000, first.at(-1))).toBeNull();
  expect(read(100)).toBe('1');
});

test('a digit has a marker on its first packet, an increasing duration and three end packets', () => {
  const packets = digitPackets('5') ?? [];
  expect(packets.map((packet) => packet.marker)).toEqual([true, ...packets.slice(1).map(() => false)]);
  expect(packets.filter((packet) => (packet.payload[1] ?? 0) & 0x80)).toHaveLength(3);
  expect(packets.map((packet) => packet.payload.readUInt16BE(2))).toEqual([
    160, 320, 480, 640, 800, 800, 800, 800,
  ]);
});

test('invalid digits are rejected', () => {
  expect(digitPackets('x')).toBeNull();
  expect(digitPackets('12')).toBeNull();
  expect(isDtmfDigits('12,#*aD')).toBe(true);
  expect(isDtmfDigits('12 3')).toBe(false);
  expect(new DtmfReader().read(0, Buffer.from([200, 0, 0, 0]))).toBeNull();
  expect(new DtmfReader().read(0, Buffer.from([1]))).toBeNull();
});
