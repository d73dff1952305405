/**
 * A carrier's end of an audio stream: a UDP socket that sends paced G.711 (a tone, a recording, or an echo) with a chosen SSRC, sequence
 * number and timestamp, and records each received packet with its arrival time.
 */
import { createSocket, type Socket, type SocketOptions } from 'node:dgram';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { decode, encode, FRAME_SAMPLES, payloadTypes, SAMPLE_RATE, type Law } from './g711.ts';
import { sine } from '../audio/goertzel.ts';
import { pacer } from './pacer.ts';
import { G722_PAYLOAD_TYPE, G722Decoder, G722Encoder, WIDEBAND_RATE } from './g722.ts';
import { buildRtp, parseRtp } from './packet.ts';
import type { SrtpStream } from './srtp.ts';

export interface Heard {
  /** Arrival time, ms of performance.now. */
  at: number;
  payloadType: number;
  sequence: number;
  timestamp: number;
  ssrc: number;
  payload: Uint8Array;
  /** Source of the packet, `address:port`. */
  source: string;
}

export interface Address {
  address: string;
  port: number;
}

/** Returns the payload of the next 20 ms; null sends no packet. */
export type Source = () => Uint8Array | null;

const MOST_ECHO_FRAMES = 10; // 200 ms; more would be noticeable as delay

const random32 = () => Math.floor(Math.random() * 2 ** 32);

/** One end of an audio stream, independent of its transport. */
export abstract class RtpStream {
  /** Every received packet, in order of arrival. */
  heard: Heard[] = [];
  sent = 0;
  law: Law;
  /** Tones are sent as G.722. */
  wideband = false;
  /** Payload type of the voice, if the SDP assigned another than the static one. */
  voiceType: number | null = null;
  ssrc = random32();
  sequence = random32() & 0xffff;
  timestamp = random32();
  /** Called for each packet on arrival. */
  onPacket: ((packet: Heard) => void) | null = null;
  /** If false, packets are only passed to `onPacket`, which saves memory when there are many long calls. */
  keep = true;
  #stopSource: (() => void) | null = null;
  #marker = true;

  constructor(law: Law) {
    this.law = law;
  }

  /** Sends a packet; returns false if that is not possible yet. */
  protected abstract transmit(packet: Buffer): boolean;

  /** A steady sine. */
  sendTone(hz: number, { amplitude = 8000 } = {}): void {
    if (this.wideband) return this.#sendWidebandTone(hz, amplitude);
    let startSample = 0;
    this.sendFrom(() => {
      const samples = sine(hz, SAMPLE_RATE, FRAME_SAMPLES, { amplitude, startSample });
      startSample += FRAME_SAMPLES;
      return encode(this.law, samples);
    });
  }

  #sendWidebandTone(hz: number, amplitude: number): void {
    const encoder = new G722Encoder();
    let startSample = 0;
    this.sendFrom(() => {
      const samples = sine(hz, WIDEBAND_RATE, 2 * FRAME_SAMPLES, { amplitude, startSample });
      startSample += 2 * FRAME_SAMPLES;
      return encoder.encode(samples);
    });
  }

  /** Plays 8 kHz samples once, then calls `done`. */
  play(samples: Int16Array, done?: () => void): void {
    let at = 0;
    this.sendFrom(() => {
      if (at >= samples.length) {
        this.silence();
        done?.();
        return null;
      }
      const frame = new Int16Array(FRAME_SAMPLES);
      frame.set(samples.subarray(at, at + FRAME_SAMPLES));
      at += FRAME_SAMPLES;
      return encode(this.law, frame);
    });
  }

  /** Sends back what it receives, paced by its own clock. */
  echo(): void {
    const waiting: Uint8Array[] = [];
    this.onPacket = (packet) => {
      if (packet.payloadType !== payloadTypes[this.law]) return;
      waiting.push(packet.payload);
      if (waiting.length > MOST_ECHO_FRAMES) waiting.shift();
    };
    const silence = encode(this.law, new Int16Array(FRAME_SAMPLES));
    this.sendFrom(() => waiting.shift() ?? silence);
  }

  sendFrom(source: Source): void {
    this.silence();
    this.#marker = true;
    this.#stopSource = pacer.add(() => {
      const payload = source();
      if (payload) this.sendPacket(payload);
      this.timestamp = (this.timestamp + FRAME_SAMPLES) >>> 0;
    });
  }

  /** Stops sending. */
  silence(): void {
    this.#stopSource?.();
    this.#stopSource = null;
  }

  /** Sends the next packet of the stream now. */
  sendPacket(payload: Uint8Array, payloadType: number = this.#voicePayloadType): void {
    const { sequence, timestamp, ssrc } = this;
    const packet = buildRtp({ payloadType, marker: this.#marker, sequence, timestamp, ssrc, payload });
    if (!this.transmit(packet)) return;
    this.#marker = false;
    this.sequence = (sequence + 1) & 0xffff;
    this.sent += 1;
  }

  get #voicePayloadType(): number {
    return this.voiceType ?? (this.wideband ? G722_PAYLOAD_TYPE : payloadTypes[this.law]);
  }

  /** Starts a new stream, as carriers do after a transfer on their side: SSRC, sequence number and timestamp jump. */
  changeSsrc(): void {
    this.ssrc = random32();
    this.sequence = random32() & 0xffff;
    this.timestamp = random32();
    this.#marker = true;
  }

  protected take(packet: Buffer, source: string): void {
    const rtp = parseRtp(packet);
    if (!rtp) return;
    const { payloadType, sequence, timestamp, ssrc, payload } = rtp;
    const heard = { at: performance.now(), payloadType, sequence, timestamp, ssrc, payload, source };
    if (this.keep) this.heard.push(heard);
    this.onPacket?.(heard);
  }
}

/** All addresses are numeric, and Node's lookup would cost more than sending the packet. */
const asIs: SocketOptions['lookup'] = (address, _, found) => found(null, address, 4);

/** An audio stream on a UDP socket, as a carrier has it. */
export class RtpPort extends RtpStream {
  readonly port: number;
  readonly address: string;
  /** The destination of packets; nothing is sent before it is set. */
  remote: Address | null = null;
  /** Learns the destination from the first packet, for when another program does the signalling. */
  answersFirst = false;
  /** Encrypts what is sent, and decrypts what is received; null: the audio is plain. */
  protect: SrtpStream | null = null;
  unprotect: SrtpStream | null = null;
  /** Simulates the network: calls `go` for each copy of a packet that arrives. */
  network: ((packet: Buffer, go: () => void) => void) | null = null;
  readonly #socket: Socket;
  #closed = false;

  private constructor(socket: Socket, law: Law) {
    super(law);
    this.#socket = socket;
    const { address, port } = socket.address();
    this.address = address;
    this.port = port;
    socket.on('message', (packet, from) => {
      if (this.answersFirst) this.remote ??= { address: from.address, port: from.port };
      const plain = this.unprotect ? this.unprotect.unprotect(packet) : packet;
      if (plain) this.take(plain, `${from.address}:${from.port}`);
    });
    socket.on('error', () => undefined); // ECONNREFUSED from a peer that has closed its socket
  }

  static async open({ address = '127.0.0.1', port = 0, law = 'PCMA' as Law } = {}): Promise<RtpPort> {
    const socket = createSocket({ type: 'udp4', lookup: asIs });
    const listening = once(socket, 'listening');
    socket.bind(port, address);
    await listening;
    return new RtpPort(socket, law);
  }

  /** Sends any bytes, for malformed packets. */
  sendRaw(bytes: Uint8Array): void {
    if (this.remote) this.#socket.send(bytes, this.remote.port, this.remote.address);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.silence();
    this.#socket.close();
  }

  protected override transmit(plain: Buffer): boolean {
    const { remote } = this;
    if (this.#closed || !remote) return false;
    const packet = this.protect ? this.protect.protect(plain) : plain;
    const go = () => void (this.#closed || this.#socket.send(packet, remote.port, remote.address));
    if (this.network) this.network(packet, go);
    else go();
    return true;
  }
}

/**
 * The audio of `packets` as a listener's device would play it: by RTP timestamp, with silence for lost packets. A new SSRC continues where
 * the old one stopped. Packets of other payload types are ignored.
 */
export function toSamples(packets: readonly Heard[], law: Law): Int16Array {
  let length = 0;
  let base: { ssrc: number; timestamp: number; offset: number } | null = null;
  const place: { at: number; samples: Int16Array }[] = [];
  for (const packet of packets) {
    if (packet.payloadType !== payloadTypes[law]) continue;
    if (!base || base.ssrc !== packet.ssrc)
      base = { ssrc: packet.ssrc, timestamp: packet.timestamp, offset: length };
    const at: number = base.offset + ((packet.timestamp - base.timestamp) | 0);
    if (at < 0) continue; // late packet of a stream that has been replaced
    const samples = decode(law, packet.payload);
    place.push({ at, samples });
    length = Math.max(length, at + samples.length);
  }
  const all = new Int16Array(length);
  for (const { at, samples } of place) all.set(samples, at);
  return all;
}

/** The G.722 packets among `packets`, decoded in order of arrival: samples of 16 kHz. */
export function toWidebandSamples(packets: readonly Heard[]): Int16Array {
  const decoder = new G722Decoder();
  const parts = packets
    .filter(({ payloadType }) => payloadType === G722_PAYLOAD_TYPE)
    .map(({ payload }) => decoder.decode(payload));
  const all = new Int16Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

export interface StreamQuality {
  received: number;
  /** By sequence numbers, summed over all SSRCs. */
  lost: number;
  duplicates: number;
  outOfOrder: number;
  /** Interarrival jitter of RFC 3550, section 6.4.1, in ms: its mean over the stream and its maximum. */
  jitterMs: number;
  maxJitterMs: number;
  /** Longest time between two packets. */
  longestPauseMs: number;
}

export function streamQuality(packets: readonly Heard[]): StreamQuality {
  const quality: StreamQuality = {
    received: packets.length,
    lost: 0,
    duplicates: 0,
    outOfOrder: 0,
    jitterMs: 0,
    maxJitterMs: 0,
    longestPauseMs: 0,
  };
  let jitter = 0;
  let jitterSum = 0;
  for (const packetsOfOne of Map.groupBy(packets, (packet) => packet.ssrc).values()) {
    const seen = new Set<number>();
    let highest = packetsOfOne[0]?.sequence ?? 0;
    let lowest = highest;
    let previous: Heard | undefined;
    for (const packet of packetsOfOne) {
      const distance = ((packet.sequence - highest) << 16) >> 16; // −32768 … 32767: sequence numbers wrap
      const extended = highest + distance;
      if (seen.has(extended)) quality.duplicates += 1;
      else if (extended < highest) quality.outOfOrder += 1;
      seen.add(extended);
      highest = Math.max(highest, extended);
      lowest = Math.min(lowest, extended);
      if (previous) {
        const pause = packet.at - previous.at;
        quality.longestPauseMs = Math.max(quality.longestPauseMs, pause);
        const sentApart = ((packet.timestamp - previous.timestamp) | 0) / (SAMPLE_RATE / 1000);
        jitter += (Math.abs(pause - sentApart) - jitter) / 16;
        jitterSum += jitter;
        quality.maxJitterMs = Math.max(quality.maxJitterMs, jitter);
      }
      previous = packet;
    }
    quality.lost += highest - lowest + 1 - seen.size;
  }
  quality.jitterMs = packets.length > 1 ? jitterSum / (packets.length - 1) : 0;
  return quality;
}
