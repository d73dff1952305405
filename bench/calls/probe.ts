/**
 * The audio of a measured call: every 20 ms payload says which call and direction it belongs to, its number and when it left, so that
 * the other end proves it got the right one and knows how long it took. Both ends run in one process and share a clock.
 */
import { performance } from 'node:perf_hooks';
import type { RtpStream } from '@clarion/test-phone/rtp/port';

const PAYLOAD_BYTES = 160;
const MAGIC = 0xc1a2;
const SILENCE = 0xd5; // of A-law
/** Delays are kept in bins of 0.1 ms up to 1 s. */
const BIN_MS = 0.1;
const BINS = 10_000;

const isSilence = (payload: Uint8Array) => payload.every((byte) => byte === SILENCE);

export class Histogram {
  readonly #bins = new Uint32Array(BINS);
  count = 0;

  add(ms: number): void {
    const bin = Math.min(BINS - 1, Math.max(0, Math.floor(ms / BIN_MS)));
    this.#bins[bin] = (this.#bins[bin] ?? 0) + 1;
    this.count += 1;
  }

  /** Upper edge of the bin of that share (0 … 1), in ms. */
  quantile(share: number): number {
    let rest = share * this.count;
    for (let bin = 0; bin < BINS; bin += 1) {
      rest -= this.#bins[bin] ?? 0;
      if (rest <= 0) return (bin + 1) * BIN_MS;
    }
    return BINS * BIN_MS;
  }
}

export interface Direction {
  sent: number;
  received: number;
  lost: number;
  /** Payloads that were not what the other end of this call sent, bit for bit. */
  wrong: number;
  delayMs: { p50: number; p99: number; max: number };
  /** Mean of the interarrival jitter (RFC 3550) over the streams. */
  jitterMs: number;
}

/** One direction of all calls, over a window of time. */
export class Probe {
  #delays = new Histogram();
  readonly #streams: {
    first: number;
    last: number;
    received: number;
    jitter: number;
    transit: number | null;
  }[] = [];
  #wrong = 0;
  #sent = 0;
  #measuring = false;
  readonly #direction: number;

  constructor(direction: number) {
    this.#direction = direction;
  }

  attach(call: number, from: RtpStream, to: RtpStream): void {
    const payload = Buffer.alloc(PAYLOAD_BYTES, SILENCE);
    payload.writeUInt16BE(MAGIC, 0);
    payload.writeUInt16BE(this.#direction, 2);
    payload.writeUInt32BE(call, 4);
    let number = 0;
    to.keep = false;
    to.onPacket = (packet) => this.#take(call, packet.payload, packet.at);
    from.sendFrom(() => {
      payload.writeUInt32BE((number += 1), 8);
      payload.writeDoubleBE(performance.now(), 12);
      if (this.#measuring) this.#sent += 1;
      return payload;
    });
    this.#streams[call] = { first: 0, last: 0, received: 0, jitter: 0, transit: null };
  }

  /** A window begins; what an earlier one counted is forgotten. */
  begin(): void {
    this.#delays = new Histogram();
    this.#sent = 0;
    this.#wrong = 0;
    for (const stream of this.#streams)
      if (stream) Object.assign(stream, { first: 0, last: 0, received: 0, jitter: 0, transit: null });
    this.#measuring = true;
  }

  end(): Direction {
    this.#measuring = false;
    const streams = this.#streams.filter((stream) => stream !== undefined);
    const perStream = this.#sent / Math.max(1, streams.length);
    const sum = (of: (stream: (typeof streams)[number]) => number) =>
      streams.reduce((all, each) => all + of(each), 0);
    return {
      sent: this.#sent,
      received: sum((stream) => stream.received),
      lost: Math.round(
        sum((stream) =>
          stream.received === 0 ? perStream : stream.last - stream.first + 1 - stream.received,
        ),
      ),
      wrong: this.#wrong,
      delayMs: {
        p50: this.#delays.quantile(0.5),
        p99: this.#delays.quantile(0.99),
        max: this.#delays.quantile(1),
      },
      jitterMs: sum((stream) => stream.jitter) / Math.max(1, streams.length),
    };
  }

  #take(call: number, payload: Uint8Array, at: number): void {
    if (!this.#measuring) return;
    const view = Buffer.from(payload.buffer, payload.byteOffset, payload.length);
    const stream = this.#streams[call];
    const isOurs =
      view.length === PAYLOAD_BYTES &&
      view.readUInt16BE(0) === MAGIC &&
      view.readUInt16BE(2) === this.#direction &&
      view.readUInt32BE(4) === call;
    if (!stream || !isOurs) {
      // An endpoint of ours fills a voice that pauses: here, a sender that had to wait for a core.
      if (!isSilence(payload)) this.#wrong += 1;
      return;
    }
    const number = view.readUInt32BE(8);
    const transit = at - view.readDoubleBE(12);
    this.#delays.add(transit);
    if (stream.transit !== null) stream.jitter += (Math.abs(transit - stream.transit) - stream.jitter) / 16;
    stream.transit = transit;
    if (stream.received === 0) stream.first = number;
    stream.last = Math.max(stream.last, number);
    stream.received += 1;
  }
}
