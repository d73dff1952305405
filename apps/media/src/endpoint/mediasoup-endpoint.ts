/**
 * The RTP endpoint of a carrier leg that is handed over to mediasoup (docs/decisions/media-hand-over.md): a
 * PlainTransport on the leg's own port, locked to the source, and one consumer in each direction. The only packets that
 * reach JavaScript are DTMF and, while there is a listener (a supervisor or the recorder), a copy of each voice packet.
 *
 * mediasoup assigns its own RTP numbering, so a hand-over starts a new SSRC towards the carrier. When the leg is taken
 * back, the local endpoint continues with mediasoup's SSRC, sequence number and timestamp.
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

/** How long to wait for one packet that reveals mediasoup's current numbering. A silent agent sends none. */
const LAST_PACKET_WAIT_MS = 45;

/** Totals of everything received so far. */
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
  /** Replaces `#dtmfStream` once it receives DTMF; until then its SSRC may belong to another leg. */
  #dtmfCandidate: DtmfStream | null = null;
  #addingDtmfSsrc = false;
  /** Statistics of producers that were replaced because the SSRC changed. */
  #earlierStats: MediasoupStats = emptyStats;
  #lastSent: { position: StreamPosition; atMs: number } | null = null;
  #tapped: boolean;
  /** Whether the agent hears the remote party directly. */
  #direct = false;
  /** Serializes SSRC changes and taps. */
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

  /** Sets up everything on the shared port, paused in both directions. The `start` methods let audio through. */
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

  /**
   * Stops the direct audio because the agent is to hear more than the remote party; all of it then comes from the
   * player.
   */
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
        // A browser plays only its newest SSRC (agent-leg.ts), so the direct audio needs a new consumer the next time.
        remoteStream.toAgent?.close();
        remoteStream.toAgent = null;
      }
    });
  }

  async startTowardsCarrier(): Promise<void> {
    await this.#toCarrier.resume();
  }

  /** Handles a new SSRC of the remote party with a new producer on the same transport. */
  switchVoiceSsrc(ssrc: number, payloadType: number): Promise<void> {
    return this.#enqueue(() => this.#switchVoiceSsrc(ssrc, payloadType));
  }

  /**
   * Receives DTMF with this SSRC. If none arrives, nothing changes: DTMF with the previous SSRC is still received.
   * Further calls are ignored while one is in progress.
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

  /** Starts or stops passing copies of voice packets to `onVoice`. */
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

  /** A task that fails, because its transport is closing, does not block the next one. */
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
    this.#options.onSsrcChanged();
    this.#listen(remoteStream);
    if (this.#direct) await remoteStream.toAgent?.resume();
    closeRemoteStream(old);
    await this.#applyTap();
  }

  /** Stops sending to the carrier and returns the position in the stream; null if no sent packet was traced. */
  async stopTowardsCarrier(): Promise<{ position: StreamPosition; atMs: number } | null> {
    await this.#toCarrier.enableTraceEvent(['rtp']);
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, LAST_PACKET_WAIT_MS);
    this.#toCarrier.once('trace', () => resolve());
    await promise;
    clearTimeout(timer);
    // The worker reports every sent packet before it replies to `pause`, but mediasoup emits notifications one turn
    // later than replies.
    await this.#toCarrier.pause();
    await new Promise((resolve) => setImmediate(resolve));
    return this.#lastSent;
  }

  async stats(): Promise<MediasoupStats> {
    if (this.#closed) return emptyStats;
    return addStats(this.#earlierStats, await statsOf(this.#remoteStream.producer, this.#toCarrier));
  }

  /** Whether it fits a leg with these parameters. If not, it must be set up again. */
  matches(source: Source, laws: readonly Law[], dtmfPayloadTypes: readonly number[]): boolean {
    const { source: own, laws: ownLaws, dtmfPayloadTypes: ownDtmf } = this.#options;
    return same(own, source) && sameElements(ownLaws, laws) && sameElements(ownDtmf, dtmfPayloadTypes);
  }

  /** Increases with everything received, including what no producer accepts (comfort noise, RTCP). */
  async activityCount(): Promise<number> {
    const [stat] = this.#closed ? [] : await this.#transport.getStats();
    return stat?.bytesReceived ?? 0;
  }

  /**
   * Bytes received, and how many of them the voice producer accepted. A difference shows an SSRC without a producer.
   */
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
    // mediasoup types a trace's info as `any`; it contains the packet as sent (worker/fbs/rtpPacket.fbs).
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
