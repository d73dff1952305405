import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { measureTone, sine } from '@clarion/test-phone/audio/goertzel';
import { decode, encode, FRAME_SAMPLES } from '../rtp/g711.ts';
import { JitterBuffer, MAX_DELAY_FRAMES } from './jitter-buffer.ts';

const START = 0xffffff00;
/** A frame whose every sample is a number of its own that survives µ-law. */
const steps = Int16Array.from({ length: 120 }, (_, index) => decode('PCMU', Buffer.of(0x80 + index))[0] ?? 0);
const marked = (index: number): Buffer =>
  encode('PCMU', new Int16Array(FRAME_SAMPLES).fill(steps[index % steps.length] ?? 0));

interface Arrival {
  index: number;
  /** In ticks; fractions are times between two ticks. */
  at: number;
}

/** Runs arrivals against the clock; returns the frames that came out, by the index that was put in (null: none of them). */
function run(buffer: JitterBuffer, arrivals: readonly Arrival[], ticks: number): (number | null)[] {
  const queue = [...arrivals].sort((a, b) => a.at - b.at);
  const out: (number | null)[] = [];
  for (let tick = 0; tick < ticks; tick += 1) {
    while ((queue[0]?.at ?? Infinity) < tick) {
      const { index } = queue.shift() ?? { index: 0 };
      buffer.push(marked(index), 'PCMU', (START + index * FRAME_SAMPLES) >>> 0, 7);
    }
    const frame = buffer.pull();
    // The middle of a frame is untouched by joins.
    const value = frame[100] ?? 0;
    const known = steps.indexOf(value);
    out.push(known > 0 && frame[150] === value ? known : null);
  }
  return out;
}

const steady = (count: number, phase = 0.5): Arrival[] =>
  Array.from({ length: count }, (_, index) => ({ index, at: index + phase }));

test('a steady voice comes out whole and in order, 20 to 40 ms later', () => {
  const buffer = new JitterBuffer();
  const out = run(buffer, steady(100), 100).filter((index) => index !== null);
  expect(out).toEqual(Array.from({ length: 97 }, (_, index) => index + 1));
  expect(buffer).toMatchObject({ late: 0, concealed: 0, skipped: 0 });
});

test.each([80, 160, 240, 320, 400])('packets of %i samples make the same voice', (size) => {
  const tone = sine(440, 8_000, 24_000);
  const buffer = new JitterBuffer();
  const heard: number[] = [];
  let sent = 0;
  for (let tick = 0; tick < 145; tick += 1) {
    while (sent + size <= (tick + 1) * FRAME_SAMPLES) {
      buffer.push(encode('PCMA', tone.subarray(sent, sent + size)), 'PCMA', 5_000 + sent, 1);
      sent += size;
    }
    heard.push(...buffer.pull());
  }
  expect(measureTone(Int16Array.from(heard.slice(8_000)), 8_000, 440)).toMatchObject({
    heard: true,
    hz: 440,
  });
  expect(buffer.late).toBeLessThanOrEqual(3);
});

test('jitter within its delay costs nothing; more makes it longer until nothing is late, and quiet makes it shorter again', () => {
  const buffer = new JitterBuffer();
  const jittery = Array.from({ length: 400 }, (_, index) => ({ index, at: index + 0.5 + (index % 4) * 0.9 }));
  run(buffer, jittery, 400);
  const lateInTheBeginning = buffer.late;
  expect(lateInTheBeginning).toBeLessThanOrEqual(6);
  const waitingAtWorst = buffer.waiting;
  const calm = Array.from({ length: 800 }, (_, index) => ({ index: index + 400, at: index + 0.5 }));
  run(buffer, calm, 800);
  expect(buffer.late).toBe(lateInTheBeginning);
  expect(buffer.skipped).toBeGreaterThan(0);
  expect(buffer.waiting).toBeLessThan(waitingAtWorst + 1);
  expect(buffer.waiting).toBeLessThanOrEqual(2);
});

test('a sender whose clock is wrong by 0.1 % is followed for a minute without a break of more than a frame at a time', () => {
  for (const drift of [0.999, 1.001]) {
    const buffer = new JitterBuffer();
    const arrivals = Array.from({ length: 3_000 }, (_, index) => ({ index, at: index * drift + 0.5 }));
    run(buffer, arrivals, 3_000);
    expect(buffer.waiting).toBeLessThanOrEqual(4);
    expect(buffer.concealed + buffer.late + buffer.skipped).toBeLessThanOrEqual(12);
  }
});

/** Packets of a stream as a bad network brings them, at most `frames` late. */
const anyArrivals = (frames: number) =>
  fc
    .array(
      fc.record({
        lost: fc.boolean(),
        delay: fc.oneof(fc.constant(0), fc.double({ min: 0, max: frames, noNaN: true })),
        twice: fc.boolean(),
      }),
      { minLength: 1, maxLength: 110 },
    )
    .map((packets) => ({
      ticks: packets.length + 40,
      arrivals: packets.flatMap(({ lost, delay, twice }, index) => {
        const at = index + 0.5 + delay;
        if (lost) return [];
        return twice
          ? [
              { index, at },
              { index, at: at + 1 },
            ]
          : [{ index, at }];
      }),
    }));

// Two packets in a row that are later than 200 ms are a new beginning: the order holds for what is less late than that.
test('whatever is lost, late, doubled or out of order within 200 ms: the order is kept', () => {
  fc.assert(
    fc.property(anyArrivals(MAX_DELAY_FRAMES - 3), ({ arrivals, ticks }) => {
      const out = run(new JitterBuffer(), arrivals, ticks).filter((index) => index !== null);
      for (let at = 1; at < out.length; at += 1) {
        expect(out[at] ?? 0).toBeGreaterThan(out[at - 1] ?? 0);
      }
    }),
    { numRuns: 300 },
  );
});

test('however late it is: no crash, and the delay is bounded', () => {
  fc.assert(
    fc.property(anyArrivals(3 * MAX_DELAY_FRAMES), ({ arrivals, ticks }) => {
      const buffer = new JitterBuffer();
      run(buffer, arrivals, ticks);
      expect(buffer.waiting).toBeLessThanOrEqual(2 * MAX_DELAY_FRAMES + 1);
    }),
    { numRuns: 300 },
  );
});

test('any bytes at any time are harmless', () => {
  const packet = fc.tuple(
    fc.uint8Array({ maxLength: 2_000 }),
    fc.integer({ min: 0, max: 0xffffffff }),
    fc.integer({ min: 0, max: 2 }),
    fc.boolean(),
  );
  fc.assert(
    fc.property(fc.array(packet, { maxLength: 60 }), (packets) => {
      const buffer = new JitterBuffer();
      for (const [payload, timestamp, ssrc, pulls] of packets) {
        buffer.push(payload, 'PCMA', timestamp, ssrc);
        if (pulls) expect(buffer.pull()).toHaveLength(FRAME_SAMPLES);
      }
    }),
  );
});

describe('without clicks:', () => {
  const largestStep = (samples: readonly number[]): number => {
    let largest = 0;
    for (let index = 1; index < samples.length; index += 1) {
      largest = Math.max(largest, Math.abs((samples[index] ?? 0) - (samples[index - 1] ?? 0)));
    }
    return largest;
  };
  const tone = sine(300, 8_000, 16_000);
  const frameOf = (index: number): Buffer =>
    encode('PCMA', tone.subarray(index * FRAME_SAMPLES, (index + 1) * FRAME_SAMPLES));

  test('a lost packet, and a voice that falls silent and comes back', () => {
    const buffer = new JitterBuffer();
    const heard: number[] = [];
    for (let tick = 0; tick < 90; tick += 1) {
      const lost = tick === 20 || (tick > 40 && tick < 60);
      if (!lost) buffer.push(frameOf(tick), 'PCMA', tick * FRAME_SAMPLES, 1);
      heard.push(...buffer.pull());
    }
    // 8000 × 2π × 300 / 8000 is the steepest step of the tone itself.
    expect(largestStep(heard.slice(320))).toBeLessThan(1_885 * 1.6);
    expect(buffer.concealed).toBeGreaterThan(0);
  });

  test('a frame that is taken out', () => {
    const buffer = new JitterBuffer();
    const heard: number[] = [];
    for (let index = 0; index < 5; index += 1) buffer.push(frameOf(index), 'PCMA', index * FRAME_SAMPLES, 1);
    for (let tick = 5; tick < 95; tick += 1) {
      buffer.push(frameOf(tick), 'PCMA', tick * FRAME_SAMPLES, 1);
      heard.push(...buffer.pull());
    }
    for (let tick = 95; buffer.skipped === 0; tick += 1) {
      buffer.push(frameOf(tick % 100), 'PCMA', tick * FRAME_SAMPLES, 1);
      heard.push(...buffer.pull());
    }
    expect(largestStep(heard.slice(320))).toBeLessThan(1_885 * 1.6);
  });
});
