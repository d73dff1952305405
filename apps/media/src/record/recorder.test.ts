/** Recordings from voices to a file in the store, with the real encoder, including recovery after a crash. */
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { getBytes } from '@clarion/store/file-bytes';
import { readStoreSettings } from '@clarion/store/settings';
import { createStore, type Store } from '@clarion/store/store';
import { tonePower } from '@clarion/test-phone/audio/goertzel';
import { OggOpusDecoder } from 'ogg-opus-decoder';
import pino from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { VoiceSource } from '../leg/voice-source.ts';
import { encode, FRAME_SAMPLES, SAMPLE_RATE } from '../rtp/g711.ts';
import { EncoderPool } from './encoder-pool.ts';
import { Recorder, type RecordSettings } from './recorder.ts';
import { clockRecord, CLOCK, packetBytes, SPOOL_MAGIC, voiceRecord, writePacket } from './spool-format.ts';
import type { RecordingOutcome } from './spool-folder.ts';
import { SpoolWriter } from './spool-writer.ts';
import { packetsOf, tone } from '../../test/support/synthetic-call.ts';

const storageKey = 'tenants/7/recordings/r/call-4711.ogg';
const callId = 4711;
const settings = (more: Partial<RecordSettings> = {}): RecordSettings => ({
  left: ['customer'],
  right: ['agent'],
  paused: false,
  storageKey,
  ...more,
});

let dataDir: string;
let store: Store;
let outcomes: RecordingOutcome[];
let recorders: Recorder[];
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'clarion-recorder-'));
  store = createStore(readStoreSettings({ CLARION_DATA_DIR: dataDir }), null);
  outcomes = [];
  recorders = [];
});
afterEach(async () => {
  await Promise.all(recorders.map((recorder) => recorder.close()));
  await rm(dataDir, { recursive: true, force: true });
});

function node(more: { store?: Store; acked?: boolean } = {}): Recorder {
  const recorder = new Recorder({
    dataDir,
    store: more.store ?? store,
    log: pino({ level: 'silent' }),
    report: (outcome, onAcked) => {
      outcomes.push(outcome);
      if (more.acked ?? true) onAcked();
    },
  });
  recorder.start();
  recorders.push(recorder);
  return recorder;
}

/** A leg that sends a tone in real time while it has listeners. */
class ToneLeg {
  readonly legId: string;
  readonly voice = new VoiceSource();
  readonly #hz: number;
  #frame = 0;

  constructor(legId: string, hz: number) {
    this.legId = legId;
    this.#hz = hz;
  }

  sendFrame(nowMs: number): void {
    const pcm = Int16Array.from({ length: FRAME_SAMPLES }, (_, index) =>
      Math.round(tone(this.#hz)((this.#frame * FRAME_SAMPLES + index) / SAMPLE_RATE)),
    );
    const packet = {
      payloadType: 0,
      marker: false,
      sequenceNumber: this.#frame & 0xffff,
      timestamp: this.#frame * FRAME_SAMPLES,
      ssrc: 1,
      payload: encode('PCMU', pcm),
    };
    this.#frame += 1;
    this.voice.push(packet, 'PCMU', 1, this, nowMs);
  }
}

/** Lets all legs send for this long, 20 ms at a time, in real time. */
async function talk(legs: readonly ToneLeg[], ms: number): Promise<void> {
  const from = performance.now();
  for (let at = 20; at <= ms; at += 20) {
    await vi.waitUntil(() => performance.now() >= from + at, { interval: 2 });
    for (const leg of legs) leg.sendFrame(performance.now());
  }
}

async function decoded(): Promise<{ left: Float32Array; right: Float32Array; seconds: number }> {
  const bytes = await getBytes(store, { provider: 'local', key: storageKey }, 10_000_000);
  if (!(bytes instanceof Buffer)) throw new Error('no file');
  const decoder = new OggOpusDecoder();
  await decoder.ready;
  const { channelData, samplesDecoded, errors } = await decoder.decodeFile(bytes);
  decoder.free();
  expect(errors).toEqual([]);
  const [left, right] = channelData;
  if (!left || !right) throw new Error('no stereo');
  return { left, right, seconds: samplesDecoded / 48_000 };
}

const goertzelDb = (pcm: Float32Array, hz: number, rate: number): number =>
  10 * Math.log10(tonePower(pcm, rate, hz) + 1e-12);

const outcomeOf = async (): Promise<RecordingOutcome> => {
  await vi.waitFor(() => expect(outcomes).not.toHaveLength(0), { timeout: 10_000, interval: 20 });
  return outcomes[0]!;
};
const spools = () => readdir(join(dataDir, 'spool')).catch(() => []);

test('a recorded call has the customer left and the agent right, and silence on both while it is paused', async () => {
  const [customer, agent] = [new ToneLeg('customer', 440), new ToneLeg('agent', 1_000)];
  const legs = [customer, agent];
  const recorder = node();
  recorder.update(callId, settings(), () => legs);
  await vi.waitUntil(() => customer.voice.hasListeners && agent.voice.hasListeners);
  await talk(legs, 1_000);
  recorder.update(callId, settings({ paused: true }), () => legs);
  expect([customer.voice.hasListeners, agent.voice.hasListeners]).toEqual([false, false]);
  await talk(legs, 600);
  recorder.update(callId, settings(), () => legs);
  await talk(legs, 800);
  recorder.finish(callId);

  const outcome = await outcomeOf();
  expect(outcome).toMatchObject({
    fact: 'recording:finished',
    payload: { callId, legId: 'customer', storageProvider: 'local', storageKey },
  });
  const { left, right, seconds } = await decoded();
  expect(seconds).toBeGreaterThan(2.3);
  expect(seconds).toBeLessThan(3.5);
  if (outcome.fact === 'recording:finished')
    expect(Math.abs(outcome.payload.durationMs / 1000 - seconds)).toBeLessThan(0.01);
  const level = (pcm: Float32Array, hz: number, from: number, to: number) =>
    goertzelDb(pcm.subarray(from * 48_000, to * 48_000), hz, 48_000);
  // A frame that was sent late leaves a gap, whose edges contain a little of every frequency.
  expect(level(left, 440, 0.2, 0.8) - level(left, 1_000, 0.2, 0.8)).toBeGreaterThan(30);
  expect(level(right, 1_000, 0.2, 0.8) - level(right, 440, 0.2, 0.8)).toBeGreaterThan(30);
  for (const pcm of [left, right]) {
    for (const hz of [440, 1_000]) expect(level(pcm, hz, 1.15, 1.5)).toBeLessThan(-60);
  }
  await vi.waitFor(async () => expect(await spools()).toEqual([]));
});

test('a call that ends immediately has a recording of its length', async () => {
  const recorder = node();
  recorder.update(callId, settings(), () => []);
  recorder.finish(callId);
  const outcome = await outcomeOf();
  expect(outcome.fact).toBe('recording:finished');
  expect((await decoded()).seconds).toBeLessThan(0.5);
});

/** What a killed node leaves: complete records and the start of another. */
async function crashed(seconds: number): Promise<string> {
  const folder = join(dataDir, 'spool', `${callId}-dead`);
  await mkdir(folder, { recursive: true });
  const about = { callId, legId: 'customer', storageKey, startedAt: '2026-01-05T09:00:00.000Z' };
  await writeFile(join(folder, 'about.json'), JSON.stringify(about));
  const records: Buffer[] = [SPOOL_MAGIC, voiceRecord(0, 'left', 'customer')];
  for (const packet of packetsOf(0, { law: 'PCMA', signal: tone(440) }, seconds)) {
    const record = Buffer.alloc(packetBytes(packet.payload.length));
    writePacket(record, 0, packet);
    records.push(record);
  }
  records.push(clockRecord(CLOCK, seconds * SAMPLE_RATE), Buffer.from([0xc1, 2, 0xff]));
  await writeFile(join(folder, 'voices'), Buffer.concat(records));
  return folder;
}
const longAgo = async (folder: string): Promise<void> => {
  const then = new Date(Date.now() - 60_000);
  await utimes(join(folder, 'voices'), then, then);
  await utimes(folder, then, then);
};

test('the spool of a killed node is finished once by the next node, and a spool that is still written is left alone', async () => {
  const folder = await crashed(3);
  const early = node();
  await vi.waitFor(() => expect(early.counts.pending).toBe(0));
  expect(outcomes).toEqual([]);
  await early.close();
  await longAgo(folder);
  node();
  node();
  expect(await outcomeOf()).toMatchObject({
    fact: 'recording:finished',
    payload: { callId, durationMs: 3_000 },
  });
  await vi.waitFor(async () => expect(await spools()).toEqual([]));
  expect(outcomes).toHaveLength(1);
  const { left, seconds } = await decoded();
  expect(seconds).toBeCloseTo(3, 2);
  expect(goertzelDb(left.subarray(48_000, 96_000), 440, 48_000)).toBeGreaterThan(-20);
});

test('a fact that was not acked is reported again by the next node, without another upload', async () => {
  await longAgo(await crashed(1));
  const unacked = node({ acked: false });
  await outcomeOf();
  await unacked.close();
  let puts = 0;
  node({ store: { ...store, put: (...args) => ((puts += 1), store.put(...args)) } });
  await vi.waitFor(() => expect(outcomes).toHaveLength(2), { timeout: 10_000 });
  expect(outcomes[1]).toEqual(outcomes[0]);
  expect(puts).toBe(0);
  await vi.waitFor(async () => expect(await spools()).toEqual([]));
});

test('an upload to an unavailable store is retried, and the recording stays on the disk meanwhile', async () => {
  await longAgo(await crashed(1));
  let attempts = 0;
  const flaky: Store = {
    ...store,
    put: (...args) => {
      attempts += 1;
      return attempts === 1 ? Promise.reject(new Error('unavailable')) : store.put(...args);
    },
  };
  node({ store: flaky });
  expect(await outcomeOf()).toMatchObject({ fact: 'recording:finished' });
  expect(attempts).toBe(2);
});

test('retries with an unavailable store leave no file open', async () => {
  await longAgo(await crashed(1));
  const bodies: Readable[] = [];
  const unavailable: Store = {
    ...store,
    put: (_key, body) => {
      bodies.push(body);
      return Promise.reject(new Error('unavailable'));
    },
  };
  node({ store: unavailable });
  await vi.waitFor(() => expect(bodies).toHaveLength(2), { timeout: 10_000 });
  await vi.waitFor(() => expect(bodies.map(({ closed }) => closed)).toEqual([true, true]));
});

test('a node does not take over its own spool, whatever the system clock shows', async () => {
  const customer = new ToneLeg('customer', 440);
  const recorder = node();
  recorder.update(callId, settings(), () => [customer]);
  await vi.waitUntil(() => customer.voice.hasListeners);
  const before = await spools();
  const later = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 3_600_000);
  // Looks for abandoned folders immediately.
  recorder.start();
  await talk([customer], 300);
  expect(await spools()).toEqual(before);
  later.mockRestore();
  recorder.finish(callId);
  await outcomeOf();
  expect((await decoded()).seconds).toBeGreaterThan(0.25);
});

test('an invalid spool is reported as failed, with a reason', async () => {
  const folder = await crashed(1);
  await writeFile(join(folder, 'voices'), 'nonsense');
  await longAgo(folder);
  node({ store: { ...store, provider: null } });
  expect(await outcomeOf()).toMatchObject({
    fact: 'recording:failed',
    payload: { callId, reason: 'File storage for recordings is not configured.' },
  });
});

test('a disk error fails the recording immediately, with a reason, and the call continues', async () => {
  await writeFile(join(dataDir, 'spool'), 'not a directory');
  const customer = new ToneLeg('customer', 440);
  const recorder = node();
  recorder.update(callId, settings(), () => [customer]);
  expect(await outcomeOf()).toMatchObject({
    fact: 'recording:failed',
    payload: { callId, reason: 'The media node could not write the recording to its disk.' },
  });
  expect(customer.voice.hasListeners).toBe(false);
  recorder.update(callId, settings(), () => [customer]);
  expect(outcomes).toHaveLength(1);
});

test('a full disk is reported immediately, and the call continues without its recording', async () => {
  const failed = Promise.withResolvers<NodeJS.ErrnoException>();
  const writer = new SpoolWriter('/dev/full', failed.resolve);
  writer.voice(0, 'left', 'customer');
  writer.tick(4_000);
  expect((await failed.promise).code).toBe('ENOSPC');
  writer.tick(8_000);
  await writer.end(8_000);
});

test('with a blocked disk, memory stays bounded, and the recording fails', async () => {
  const failed = Promise.withResolvers<Error>();
  const writer = new SpoolWriter(join(dataDir, 'slow'), failed.resolve);
  const [packet] = packetsOf(0, { law: 'PCMU', signal: tone(440) }, 0.02);
  // Without a turn of the event loop, as if the disk was blocked.
  for (let n = 0; n < 20_000; n += 1) writer.packet(packet!);
  expect(writer.waitingBytes).toBe(0);
  expect((await failed.promise).message).toContain('cannot keep up');
  await writer.end(0);
});

test('a stopping node releases its recordings, and the next node finishes them', async () => {
  const legs = [new ToneLeg('customer', 440)];
  const first = node();
  first.update(callId, settings(), () => legs);
  await vi.waitUntil(() => legs[0]!.voice.hasListeners);
  await talk(legs, 400);
  await first.close();
  expect(outcomes).toEqual([]);
  node();
  expect(await outcomeOf()).toMatchObject({ fact: 'recording:finished', payload: { callId } });
  expect((await decoded()).seconds).toBeGreaterThan(0.35);
});

test('the right channel follows the call: the agent after a transfer, and a replacing device immediately', async () => {
  const [first, moved, second] = ['agent', 'agent-2', 'bob'].map((legId) => new ToneLeg(legId, 1_000));
  const taking = Object.assign(moved!, { replaces: 'agent' });
  let legs = [first!];
  const recorder = node();
  recorder.update(callId, settings(), () => legs);
  await vi.waitUntil(() => first!.voice.hasListeners);
  legs = [first!, taking, second!];
  recorder.sync(callId);
  expect([first!, taking, second!].map(({ voice }) => voice.hasListeners)).toEqual([true, true, false]);
  recorder.update(callId, settings({ right: ['bob'] }), () => legs);
  expect([first!, taking, second!].map(({ voice }) => voice.hasListeners)).toEqual([false, false, true]);
  recorder.finish(callId);
  expect(second!.voice.hasListeners).toBe(false);
  await outcomeOf();
});

test('an encoder that cannot read a spool reports it and continues with the next one', async () => {
  const pool = new EncoderPool(1);
  const good = await crashed(1);
  const targetPath = join(dataDir, 'out.ogg');
  await expect(
    pool.encode({ spoolPath: join(dataDir, 'nothing'), targetPath, comments: [] }),
  ).rejects.toMatchObject({ code: 'ENOENT' });
  const file = await pool.encode({ spoolPath: join(good, 'voices'), targetPath, comments: ['DATE=today'] });
  expect(file).toMatchObject({ durationMs: 1_000, sizeBytes: (await readFile(targetPath)).length });
  pool.close();
});
