/** What a customer receives: counters, digits, and the last second of audio, decoded only when somebody asks what is heard. */
import { createDecoder } from 'libopus-wasm';
import type { Heard } from './customer-media.ts';
import { keyOf, parseRtp, type RtpPacket } from './rtp.ts';
import { measure, SAMPLE_RATE } from './tone.ts';

const KEPT_PACKETS = 60;
/** A decoder that starts in the middle of a stream needs some packets until its output is right. */
const WARM_UP_PACKETS = 10;

export interface ListenerOptions {
  onDigit: (digit: string) => void;
  onAudio: (packet: RtpPacket) => void;
}

export class Listener {
  received = 0;
  digits = '';
  #lastAt: number | null = null;
  #packets: Buffer[] = [];
  #lastEvent: number | null = null;
  readonly #options: ListenerOptions;

  constructor(options: ListenerOptions) {
    this.#options = options;
  }

  get silentForMs(): number | null {
    return this.#lastAt === null ? null : performance.now() - this.#lastAt;
  }

  take(datagram: Buffer, payloadTypes: { opus: number; telephoneEvent: number }): boolean {
    const packet = parseRtp(datagram);
    if (packet === null) return false;
    this.received += 1;
    this.#lastAt = performance.now();
    if (packet.payloadType === payloadTypes.opus) {
      this.#packets.push(Buffer.from(packet.payload));
      if (this.#packets.length > KEPT_PACKETS) this.#packets.shift();
      this.#options.onAudio(packet);
    } else if (packet.payloadType === payloadTypes.telephoneEvent && packet.timestamp !== this.#lastEvent) {
      this.#lastEvent = packet.timestamp;
      const digit = keyOf(packet.payload);
      if (digit !== null) {
        this.digits += digit;
        this.#options.onDigit(digit);
      }
    }
    return true;
  }

  async heard(): Promise<Heard> {
    // Nothing for a second is silence, whatever was heard before.
    if (this.silentForMs === null || this.silentForMs > 1000) return measure(new Int16Array());
    const decoder = await createDecoder({ channels: 1, sampleRate: SAMPLE_RATE });
    try {
      const frames = this.#packets.map((packet) => {
        try {
          return decoder.decode(packet);
        } catch {
          return new Int16Array(); // not Opus: it is heard as nothing
        }
      });
      const kept = frames.slice(Math.min(WARM_UP_PACKETS, frames.length - 1));
      const samples = new Int16Array(kept.reduce((sum, { length }) => sum + length, 0));
      let at = 0;
      for (const frame of kept) {
        samples.set(frame, at);
        at += frame.length;
      }
      return measure(samples);
    } finally {
      decoder.free();
    }
  }
}
