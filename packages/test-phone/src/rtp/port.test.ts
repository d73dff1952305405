import { once } from 'node:events';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { encode, FRAME_SAMPLES, payloadTypes } from './g711.ts';
import { findGaps, measureTone } from '../audio/goertzel.ts';
import { buildRtp, parseRtp } from './packet.ts';
import { RtpPort, streamQuality, toSamples, type Heard } from './port.ts';

const ports: RtpPort[] = [];
async function open(law: 'PCMA' | 'PCMU' = 'PCMA') {
  const port = await RtpPort.open({ law });
  ports.push(port);
  return port;
}
afterEach(() => ports.splice(0).forEach((port) => port.close()));

function heardPackets(port: RtpPort, count: number): Promise<void> {
  return new Promise((resolve) => {
    port.onPacket = () => port.heard.length >= count && resolve();
  });
}

test('a parsed packet equals the one that was built', () => {
  const packet = fc.record({
    payloadType: fc.integer({ min: 0, max: 63 }),
    marker: fc.boolean(),
    sequence: fc.integer({ min: 0, max: 0xffff }),
    timestamp: fc.integer({ min: 0, max: 0xffff_ffff }),
    ssrc: fc.integer({ min: 0, max: 0xffff_ffff }),
    payload: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  });
  fc.assert(
    fc.property(packet, (rtp) => {
      expect(parseRtp(buildRtp(rtp))).toEqual(rtp);
    }),
  );
});

test('parsing never throws, whatever the bytes are', () => {
  fc.assert(fc.property(fc.uint8Array(), (bytes) => void parseRtp(Buffer.from(bytes))));
});

test('a paced tone arrives complete, 50 packets a second, even across a change of SSRC', async () => {
  const [from, to] = [await open('PCMU'), await open('PCMU')];
  from.remote = to;
  const startedAt = performance.now();
  from.sendTone(440);
  await heardPackets(to, 20);
  from.changeSsrc();
  await heardPackets(to, 40);
  from.silence();

  expect(new Set(to.heard.map((packet) => packet.ssrc)).size).toBe(2);
  expect(to.heard.every((packet) => packet.payloadType === payloadTypes.PCMU)).toBe(true);
  const samples = toSamples(to.heard, 'PCMU');
  expect(measureTone(samples, 8000, 440).heard).toBe(true);
  expect(findGaps(samples, 8000, 440)).toEqual([]);
  expect(streamQuality(to.heard)).toMatchObject({ lost: 0, duplicates: 0, outOfOrder: 0 });
  // A busy machine may be late, never early.
  const early = to.heard.filter(({ at }, index) => at - startedAt < index * 20 - 25);
  expect(early).toEqual([]);
});

test('an echo sends back what it receives, in order, and silence until then', async () => {
  const [caller, mirror] = [await open(), await open()];
  [caller.remote, mirror.remote] = [mirror, caller];
  mirror.echo();
  const [silence] = encode('PCMA', new Int16Array(FRAME_SAMPLES));
  let spoken = 0;
  caller.sendFrom(() => (spoken < 60 ? new Uint8Array(FRAME_SAMPLES).fill(++spoken) : null));
  const echoed = () => caller.heard.map(({ payload }) => payload[0]).filter((first) => first !== silence);
  // A host that pauses makes the echo discard what would be late.
  await expect.poll(() => echoed().length, { timeout: 5_000 }).toBeGreaterThanOrEqual(20);
  expect(echoed()).toEqual([...new Set(echoed())].toSorted((a = 0, b = 0) => a - b));
});

test('lost, duplicate and late packets are counted by sequence number, even when it wraps', () => {
  const sequences = [65_533, 65_534, 65_535, 0, 2, 1, 1, 5];
  const packets = sequences.map((sequence, i): Heard => ({
    at: i * 20,
    payloadType: 8,
    sequence,
    timestamp: i * FRAME_SAMPLES,
    ssrc: 1,
    payload: new Uint8Array(0),
    source: 'x',
  }));
  expect(streamQuality(packets)).toMatchObject({ received: 8, lost: 2, duplicates: 1, outOfOrder: 1 });
});

test('a recording is played once, and its end is reported', async () => {
  const [from, to] = [await open(), await open()];
  from.remote = to;
  const emitter = new EventTarget();
  const over = once(emitter, 'over');
  from.play(new Int16Array(5 * FRAME_SAMPLES).fill(1000), () => emitter.dispatchEvent(new Event('over')));
  await over;
  expect(from.sent).toBe(5);
});
