/**
 * A recorded call (both sides spooled packet by packet, then aligned, encoded to stereo Opus and written to Ogg pages), compared with the
 * Opus encoder alone on the same audio. CPU time of this process, in alternating rounds.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadLibopus } from 'libopus-wasm';
import { createRecordingEncoder, encodeSpool } from '../../apps/media/src/record/encode-spool.ts';
import { SpoolWriter } from '../../apps/media/src/record/spool-writer.ts';
import { packetsOf, type SyntheticVoice } from '../../apps/media/test/support/synthetic-call.ts';
import { FRAME_SAMPLES, SAMPLE_RATE } from '../../apps/media/src/rtp/g711.ts';
import type { Plan, LogProgress } from './plan.ts';
import type { Row } from './rows.ts';

/** Seconds of audio in each round, per second of the plan. */
const TALK_SECONDS = 24;
/** How often the spool is written to disk during a call. */
const CLOCK_SECONDS = 0.25;

/** Limits how much is waiting to be written to disk. */
const MAX_WAITING_BYTES = 256 * 1024;

/** Two speakers: vowels of changing pitch, alternating, with pauses. */
const speech =
  (hz: number, turn: number) =>
  (seconds: number): number => {
    const speaks = Math.floor(seconds / 3) % 2 === turn;
    if (!speaks) return 20 * Math.sin(7_000 * seconds * seconds);
    const pitch = hz * (1 + 0.2 * Math.sin(2 * Math.PI * 1.7 * seconds));
    const loud = 0.6 + 0.4 * Math.sin(2 * Math.PI * 4 * seconds);
    let sample = 0;
    for (let harmonic = 1; harmonic <= 8; harmonic += 1)
      sample += Math.sin(2 * Math.PI * pitch * harmonic * seconds) / harmonic;
    return 5_000 * loud * sample;
  };
const customer: SyntheticVoice = { law: 'PCMA', signal: speech(120, 0) };
const agent: SyntheticVoice = { law: 'PCMA', signal: speech(210, 1) };

export async function measureRecording(plan: Plan, log: LogProgress): Promise<Row[]> {
  const seconds = plan.seconds * TALK_SECONDS;
  const packets = [...packetsOf(0, customer, seconds), ...packetsOf(1, agent, seconds)].sort(
    (a, b) => a.at - b.at,
  );
  const frames = stereoFrames(seconds);
  const dir = await mkdtemp(join(tmpdir(), 'clarion-recording-'));
  let files = 0;
  const ours = async () => {
    files += 1;
    const spool = join(dir, `${files}.spool`);
    let failed: Error | null = null;
    const writer = new SpoolWriter(spool, (error) => (failed = error));
    writer.voice(0, 'left', 'customer');
    writer.voice(1, 'right', 'agent');
    let clock = 0;
    for (const packet of packets) {
      writer.packet(packet);
      if (packet.at < clock + CLOCK_SECONDS * SAMPLE_RATE) continue;
      clock = packet.at;
      writer.tick(clock);
      // During a real call the disk has time for this; here a minute is written in a moment.
      while (writer.waitingBytes > MAX_WAITING_BYTES) await new Promise((resolve) => setImmediate(resolve));
    }
    await writer.end(seconds * SAMPLE_RATE);
    if (failed) throw failed;
    const { durationMs } = await encodeSpool(spool, join(dir, `${files}.ogg`));
    if (Math.abs(durationMs - seconds * 1000) > 100) throw new Error(`recorded ${durationMs} ms`);
  };
  const encoder = async () => {
    await loadLibopus();
    const opus = await createRecordingEncoder();
    for (const frame of frames) opus.encode(frame);
    opus.free();
  };
  try {
    await ours();
    await encoder();
    const figures: { ours: number[]; encoder: number[] } = { ours: [], encoder: [] };
    for (let round = 1; round <= plan.rounds; round += 1) {
      figures.ours.push((await cpuMs(ours)) / (seconds / 60));
      figures.encoder.push((await cpuMs(encoder)) / (seconds / 60));
      log(
        `round ${round}: a recorded minute ${figures.ours.at(-1)?.toFixed(0)} ms, the encoder alone ${figures.encoder.at(-1)?.toFixed(0)} ms`,
      );
    }
    return [
      {
        name: 'a recorded minute',
        unit: 'ms of CPU',
        ours: figures.ours,
        peer: { name: 'Opus encoder alone', figures: figures.encoder },
        goal: 1.2,
        limit: 1.2,
        lost: { ours: 0, peer: 0 },
      },
    ];
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function cpuMs(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** The same audio as in the spool, as the input of the encoder. */
function stereoFrames(seconds: number): Int16Array[] {
  return Array.from({ length: Math.ceil((seconds * SAMPLE_RATE) / FRAME_SAMPLES) }, (_, frame) => {
    const pcm = new Int16Array(FRAME_SAMPLES * 2);
    for (let index = 0; index < FRAME_SAMPLES; index += 1) {
      const at = (frame * FRAME_SAMPLES + index) / SAMPLE_RATE;
      pcm[2 * index] = customer.signal(at);
      pcm[2 * index + 1] = agent.signal(at);
    }
    return pcm;
  });
}
