/** What a customer sends: one Opus packet or telephone event every 20 ms, with one sequence for both. */
import { Application, createEncoder, type OpusEncoderHandle } from 'libopus-wasm';
import { randomInt } from 'node:crypto';
import type { CustomerAudio } from './customer-media.ts';
import { EVENT_PACKET_MS, eventPayloads, writeRtp } from './rtp.ts';
import { frameAt, FRAME_SAMPLES, SAMPLE_RATE } from './tone.ts';

const FRAME_MS = 20;
/** After a longer pause the missed frames are dropped instead of sent in one burst. */
const MAX_CATCH_UP_MS = 500;
const BITRATE = 20_000; // as Meta's offer says
const EVENT_TICKS_PER_PACKET = (8000 * EVENT_PACKET_MS) / 1000;

export interface SpeakerOptions {
  readonly ssrc: number;
  readonly firstSequence: number;
  readonly payloadTypes: () => { opus: number; telephoneEvent: number };
  /** False if the packet could not be sent. */
  readonly send: (packet: Buffer) => boolean;
}

interface Digits {
  readonly payloads: (Buffer | null)[];
  readonly done: () => void;
}

export class Speaker {
  sent = 0;
  muted = false;
  readonly #options: SpeakerOptions;
  readonly #encoder: OpusEncoderHandle;
  #audio: CustomerAudio = { kind: 'silence' };
  #position = 0;
  #sequence: number;
  #timestamp = randomInt(0x1_0000_0000);
  #timer: NodeJS.Timeout | null = null;
  #nextAt = 0;
  #digits: Digits[] = [];
  #event: { timestamp: number; fresh: boolean } | null = null;
  #marker = true;

  private constructor(options: SpeakerOptions, encoder: OpusEncoderHandle) {
    this.#options = options;
    this.#sequence = options.firstSequence;
    this.#encoder = encoder;
  }

  static async create(options: SpeakerOptions): Promise<Speaker> {
    const encoder = await createEncoder({
      channels: 1,
      sampleRate: SAMPLE_RATE,
      application: Application.Voip,
      bitrate: BITRATE,
      frameSize: FRAME_SAMPLES,
      fec: true,
    });
    return new Speaker(options, encoder);
  }

  play(audio: CustomerAudio): void {
    this.#audio = audio;
    this.#position = 0;
  }

  start(): void {
    if (this.#timer !== null) return;
    this.#nextAt = performance.now();
    this.#timer = setInterval(() => this.#tick(), FRAME_MS);
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    for (const { done } of this.#digits.splice(0)) done();
  }

  close(): void {
    this.stop();
    this.#encoder.free();
  }

  /** Throws for a character that is not a key. */
  async digits(digits: string): Promise<void> {
    const payloads = [...digits].flatMap((digit) => {
      const those = eventPayloads(digit);
      if (those === null) throw new Error(`digits must be 0-9, *, # or A-D, not "${digit}"`);
      return those;
    });
    await new Promise<void>((done) => this.#digits.push({ payloads, done }));
  }

  /** Timers are late on a busy machine: as many frames as are due are sent, within a bound. */
  #tick(): void {
    const now = performance.now();
    if (now - this.#nextAt > MAX_CATCH_UP_MS) this.#nextAt = now;
    for (; this.#nextAt <= now; this.#nextAt += FRAME_MS) this.#frame();
  }

  #frame(): void {
    const [current] = this.#digits;
    const payload = current?.payloads.shift();
    if (payload) this.#sendEvent(payload);
    else this.#sendAudio();
    if (current && current.payloads.length === 0) {
      this.#digits.shift();
      current.done();
    }
    this.#timestamp = (this.#timestamp + FRAME_SAMPLES) >>> 0;
  }

  #sendAudio(): void {
    this.#event = null;
    const frame = frameAt(this.#audio, this.#position);
    this.#position += FRAME_SAMPLES;
    const payload = Buffer.from(this.#encoder.encode(frame));
    const marker = this.#marker;
    this.#marker = false;
    this.#send(this.#options.payloadTypes().opus, marker, this.#timestamp, payload);
  }

  #sendEvent(payload: Buffer): void {
    const isFirst = payload.readUInt16BE(2) === EVENT_TICKS_PER_PACKET;
    if (this.#event === null || isFirst) this.#event = { timestamp: this.#timestamp, fresh: true };
    const { timestamp, fresh } = this.#event;
    this.#event.fresh = false;
    this.#send(this.#options.payloadTypes().telephoneEvent, fresh, timestamp, payload);
  }

  #send(payloadType: number, marker: boolean, timestamp: number, payload: Buffer): void {
    if (this.muted) return;
    const { ssrc } = this.#options;
    const packet = writeRtp({ payloadType, marker, sequence: this.#sequence, timestamp, ssrc, payload });
    if (!this.#options.send(packet)) return;
    this.#sequence = (this.#sequence + 1) & 0xffff;
    this.sent += 1;
  }
}
