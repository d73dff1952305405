/**
 * A carrier leg handed over to mediasoup (docs/decisions/media-hand-over.md): a PlainTransport on the leg's own port, locked to the source, and
 * one consumer each way with the agent's transport. No packet enters JavaScript but the far end's key presses, and, while somebody
 * listens (a supervisor, the recorder), a copy of each voice packet.
 *
 * mediasoup numbers what it sends itself: the carrier sees a new SSRC when a call is handed over. On the way back we learn where
 * mediasoup stopped and go on with its SSRC, sequence number and timestamp.
 */
import type { types } from 'mediasoup';
import { parseRtp } from '../rtp/packet.ts';
import type { Law } from '../rtp/g711.ts';
import type { StreamPosition } from '../rtp/sequencer.ts';
import { same, type Source } from '../rtp/source-lock.ts';
import { VOICE_CODECS } from '../worker-pool.ts';
import {
  closeRemoteStream,
  closeDtmfStream,
  createRemoteStream,
  createDtmfStream,
  consumeTap,
  consumeForAgent,
  type MediasoupEndpointOptions,
  type RemoteStream,
  type DtmfStream,
} from './remote-stream.ts';
import { addStats, emptyStats, statsOf, type MediasoupStats } from './mediasoup-stats.ts';

/** How long to wait for one packet that tells where mediasoup's numbering stands; a silent agent sends none. */
const LAST_PACKET_WAIT_MS = 45;

/** Counted over everything received so far. */
export interface ReceiveCounters {
  wireBytes: number;
  voiceBytes: number;
  packets: number;
}

export class MediasoupEndpoint {
  readonly #options: MediasoupEndpointOptions;
  readonly #transport: types.PlainTransport;
  readonly #toCarrier: types.Consumer;
  #remoteStream: RemoteStream;
  #dtmfStream: DtmfStream | null = null;
  /** Takes the place of `#dtmfStream` when it hears a key: the SSRC may be that of another leg. */
  #dtmfCandidate: DtmfStream | null = null;
  #addingDtmfSsrc = false;
  /** Of producers already replaced because the SSRC changed. */
  #earlierStats: MediasoupStats = emptyStats;
  #lastSent: { position: StreamPosition; atMs: number } | null = null;
  #tapped: boolean;
  /** The agent hears the far end directly. */
  #direct = false;
  /** SSRC changes and taps, one after the other. */
  #queue: Promise<void> = Promise.resolve();
  #closed = false;
  ssrcChanges = 0;

  private constructor(
    options: MediasoupEndpointOptions,
    transport: types.PlainTransport,
    toCarrier: types.Consumer,
    remoteStream: RemoteStream,
  ) {
    this.#options = options;
    this.#transport = transport;
    this.#toCarrier = toCarrier;
    this.#remoteStream = remoteStream;
    this.#tapped = options.tapped;
    this.#listen(remoteStream);
    toCarrier.on('trace', (trace) => this.#traced(trace));
  }

  /** Sets everything up on the shared port, still silent both ways: `start` lets the audio through. */
  static async prepare(options: MediasoupEndpointOptions): Promise<MediasoupEndpoint> {
    const listen = {
      protocol: 'udp',
      ip: options.bindAddress,
      flags: { udpReusePort: true },
    } as const;
    const transport = await options.media.router.createPlainTransport({
      listenInfo: { ...listen, port: options.port },
      rtcpListenInfo: { ...listen, port: options.port + 1 },
      rtcpMux: false,
      comedia: false,
    });
    try {
      await transport.connect({
        ip: options.source.address,
        port: options.source.port,
        rtcpPort: options.rtcpPort,
      });
      const toCarrier = await transport.consume({
        producerId: options.microphone.id,
        rtpCapabilities: { codecs: VOICE_CODECS, headerExtensions: [] },
        paused: true,
      });
      const remoteStream = await createRemoteStream(
        options,
        transport,
        options.ssrc,
        options.payloadType,
        options.tapped,
      );
      return new MediasoupEndpoint(options, transport, toCarrier, remoteStream);
    } catch (error) {
      transport.close();
      throw error;
    }
  }

  get ssrc(): number {
    return this.#remoteStream.ssrc;
  }

  get dtmfPayloadTypes(): readonly number[] {
    return this.#options.dtmfPayloadTypes;
  }

  get transport(): types.PlainTransport {
    return this.#transport;
  }

  startTowardsAgent(): Promise<void> {
    return this.#towardsAgent(true);
  }

  /** The agent is to hear more than the far end, and hears all of it by other ways. */
  stopTowardsAgent(): Promise<void> {
    return this.#towardsAgent(false);
  }

  #towardsAgent(direct: boolean): Promise<void> {
    return this.#enqueue(async () => {
      if (this.#closed || this.#direct === direct) return;
      this.#direct = direct;
      const remoteStream = this.#remoteStream;
      if (direct) {
        remoteStream.toAgent ??= await consumeForAgent(this.#options, remoteStream.producer);
        await remoteStream.toAgent.resume();
      } else {
        // A page hears its newest SSRC alone (agent-leg.ts): the next time it is a new consumer.
        remoteStream.toAgent?.close();
        remoteStream.toAgent = null;
      }
    });
  }

  async startTowardsCarrier(): Promise<void> {
    await this.#toCarrier.resume();
  }

  /** The far end began a new SSRC: the same transport, a new producer. */
  switchVoiceSsrc(ssrc: number, payloadType: number): Promise<void> {
    return this.#enqueue(() => this.#switchVoiceSsrc(ssrc, payloadType));
  }

  /**
   * Listens for keys under this SSRC. Where none come it has no effect: keys under another SSRC are heard on. While it is about to listen for
   * one, others are ignored.
   */
  async addDtmfSsrc(ssrc: number, payloadType: number): Promise<void> {
    if (this.#addingDtmfSsrc) return;
    this.#addingDtmfSsrc = true;
    try {
      await this.#enqueue(() => this.#addDtmfSsrc(ssrc, payloadType));
    } finally {
      this.#addingDtmfSsrc = false;
    }
  }

  async #addDtmfSsrc(ssrc: number, payloadType: number): Promise<void> {
    const known = [this.#remoteStream.ssrc, this.#dtmfStream?.ssrc, this.#dtmfCandidate?.ssrc];
    if (this.#closed || known.includes(ssrc)) return;
    const own = await createDtmfStream(this.#options, this.#transport, ssrc, payloadType);
    closeDtmfStream(this.#dtmfCandidate);
    this.#dtmfCandidate = own;
    own.keys.once('rtp', () => {
      if (this.#dtmfCandidate !== own) return;
      closeDtmfStream(this.#dtmfStream);
      this.#dtmfStream = own;
      this.#dtmfCandidate = null;
    });
    this.#listenToKeys(own.keys);
  }

  #closeDtmfStreams(): void {
    closeDtmfStream(this.#dtmfStream);
    closeDtmfStream(this.#dtmfCandidate);
    this.#dtmfStream = null;
    this.#dtmfCandidate = null;
  }

  /** Lets copies of the voice through to `onVoice`, or no more. */
  tap(tapped: boolean): Promise<void> {
    this.#tapped = tapped;
    return this.#enqueue(() => this.#applyTap());
  }

  async #applyTap(): Promise<void> {
    const remoteStream = this.#remoteStream;
    if (this.#closed || this.#tapped === (remoteStream.tap !== null)) return;
    if (!this.#tapped) {
      remoteStream.tap?.close();
      remoteStream.tap = null;
      return;
    }
    const tap = await consumeTap(this.#options, remoteStream.producer);
    if (this.#closed || !this.#tapped) return tap.close();
    remoteStream.tap = tap;
    this.#listenToVoice(remoteStream.ssrc, tap);
  }

  /** A turn that fails (its transport is closing) keeps nobody from theirs. */
  #enqueue(work: () => Promise<void>): Promise<void> {
    const done = this.#queue.then(work);
    this.#queue = done.catch(() => undefined);
    return done;
  }

  async #switchVoiceSsrc(ssrc: number, payloadType: number): Promise<void> {
    if (this.#closed || ssrc === this.#remoteStream.ssrc) return;
    const old = this.#remoteStream;
    const oldStats = await statsOf(old.producer, null);
    if (ssrc === this.#dtmfStream?.ssrc || ssrc === this.#dtmfCandidate?.ssrc) this.#closeDtmfStreams();
    const remoteStream = await createRemoteStream(
      this.#options,
      this.#transport,
      ssrc,
      payloadType,
      this.#tapped,
    );
    if (this.#closed) return;
    this.#earlierStats = addStats(this.#earlierStats, oldStats);
    this.#remoteStream = remoteStream;
    this.ssrcChanges += 1;
    this.#listen(remoteStream);
    if (this.#direct) await remoteStream.toAgent?.resume();
    closeRemoteStream(old);
    await this.#applyTap();
  }

  /** Stops sending to the carrier and tells where the stream stands; null when nothing was sent that we saw. */
  async stopTowardsCarrier(): Promise<{ position: StreamPosition; atMs: number } | null> {
    await this.#toCarrier.enableTraceEvent(['rtp']);
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, LAST_PACKET_WAIT_MS);
    this.#toCarrier.once('trace', () => resolve());
    await promise;
    clearTimeout(timer);
    // The worker tells of every packet sent before it answers `pause`, but mediasoup hands on what it tells one turn later than answers.
    await this.#toCarrier.pause();
    await new Promise((resolve) => setImmediate(resolve));
    return this.#lastSent;
  }

  async stats(): Promise<MediasoupStats> {
    if (this.#closed) return emptyStats;
    return addStats(this.#earlierStats, await statsOf(this.#remoteStream.producer, this.#toCarrier));
  }

  /** Whether it can serve a leg with this description, or would have to be set up again. */
  matches(source: Source, laws: readonly Law[], dtmfPayloadTypes: readonly number[]): boolean {
    const { source: own, laws: ownLaws, dtmfPayloadTypes: ownDtmf } = this.#options;
    return same(own, source) && sameElements(ownLaws, laws) && sameElements(ownDtmf, dtmfPayloadTypes);
  }

  /** Rises with everything received, including what no producer accepts: comfort noise, RTCP. */
  async activityCount(): Promise<number> {
    const [stat] = this.#closed ? [] : await this.#transport.getStats();
    return stat?.bytesReceived ?? 0;
  }

  /** Bytes received, and how many of them the voice's producer accepted: the difference shows an SSRC without a producer. */
  async counters(): Promise<ReceiveCounters> {
    const [transport, producer] = await Promise.all([
      this.#transport.getStats(),
      this.#remoteStream.producer.getStats(),
    ]);
    return {
      wireBytes: transport[0]?.bytesReceived ?? 0,
      voiceBytes: producer.reduce((sum, stat) => sum + stat.byteCount, 0),
      packets: producer.reduce((sum, stat) => sum + stat.packetCount, 0),
    };
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    closeRemoteStream(this.#remoteStream);
    this.#closeDtmfStreams();
    this.#transport.close();
  }

  #traced(trace: types.ConsumerTraceEventData): void {
    if (trace.type !== 'rtp') return;
    // mediasoup types a trace's info as any; it tells the packet as sent (worker/fbs/rtpPacket.fbs).
    const { rtpPacket } = trace.info as { rtpPacket: StreamPosition };
    const { ssrc, sequenceNumber, timestamp } = rtpPacket;
    this.#lastSent = { position: { ssrc, sequenceNumber, timestamp }, atMs: performance.now() };
  }

  #listen(remoteStream: RemoteStream): void {
    if (remoteStream.tap) this.#listenToVoice(remoteStream.ssrc, remoteStream.tap);
    if (remoteStream.keys) this.#listenToKeys(remoteStream.keys);
  }

  #listenToKeys(keys: types.Consumer): void {
    keys.on('rtp', (datagram) => {
      const packet = parseRtp(datagram);
      if (packet) this.#options.onDtmfPacket(packet);
    });
  }

  #listenToVoice(ssrc: number, tap: types.Consumer): void {
    tap.on('rtp', (datagram) => {
      const packet = parseRtp(datagram);
      if (packet) this.#options.onVoice(packet, ssrc, tap);
    });
  }
}

const sameElements = <T>(a: readonly T[], b: readonly T[]): boolean =>
  a.length === b.length && a.every((one, index) => one === b[index]);
