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
import type { StreamPosition } from '../rtp/continuity.ts';
import { same, type Source } from '../rtp/source-lock.ts';
import { VOICE_CODECS } from '../worker-pool.ts';
import {
  closeIncoming,
  closeKeys,
  receive,
  receiveKeys,
  tapOf,
  toAgentOf,
  type HandOver,
  type Incoming,
  type OwnKeys,
} from './incoming.ts';
import { add, noStats, statsOf, type RelayStats } from './relay-stats.ts';

/** How long to wait for one packet that tells where mediasoup's numbering stands; a silent agent sends none. */
const LAST_PACKET_WAIT_MS = 45;

/** Counted over everything received so far. */
export interface Progress {
  wireBytes: number;
  voiceBytes: number;
  packets: number;
}

export class HandedOver {
  readonly #options: HandOver;
  readonly #transport: types.PlainTransport;
  readonly #toCarrier: types.Consumer;
  #incoming: Incoming;
  #ownKeys: OwnKeys | null = null;
  /** Takes the place of `#ownKeys` when it hears a key: the SSRC may be that of another leg. */
  #maybeKeys: OwnKeys | null = null;
  #followingKeys = false;
  /** Of producers already replaced because the SSRC changed. */
  #earlier: RelayStats = noStats;
  #last: { position: StreamPosition; atMs: number } | null = null;
  #tapped: boolean;
  /** The agent hears the far end directly. */
  #direct = false;
  /** SSRC changes and taps, one after the other. */
  #turn: Promise<void> = Promise.resolve();
  #closed = false;
  ssrcChanges = 0;

  private constructor(
    options: HandOver,
    transport: types.PlainTransport,
    toCarrier: types.Consumer,
    incoming: Incoming,
  ) {
    this.#options = options;
    this.#transport = transport;
    this.#toCarrier = toCarrier;
    this.#incoming = incoming;
    this.#tapped = options.tapped;
    this.#listen(incoming);
    toCarrier.on('trace', (trace) => this.#traced(trace));
  }

  /** Sets everything up on the shared port, still silent both ways: `start` lets the audio through. */
  static async prepare(options: HandOver): Promise<HandedOver> {
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
      const incoming = await receive(options, transport, options.ssrc, options.payloadType, options.tapped);
      return new HandedOver(options, transport, toCarrier, incoming);
    } catch (error) {
      transport.close();
      throw error;
    }
  }

  get ssrc(): number {
    return this.#incoming.ssrc;
  }

  get keyPayloadTypes(): readonly number[] {
    return this.#options.keyPayloadTypes;
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
    return this.#inTurn(async () => {
      if (this.#closed || this.#direct === direct) return;
      this.#direct = direct;
      const incoming = this.#incoming;
      if (direct) {
        incoming.toAgent ??= await toAgentOf(this.#options, incoming.producer);
        await incoming.toAgent.resume();
      } else {
        // A page hears its newest SSRC alone (agent-leg.ts): the next time it is a new consumer.
        incoming.toAgent?.close();
        incoming.toAgent = null;
      }
    });
  }

  async startTowardsCarrier(): Promise<void> {
    await this.#toCarrier.resume();
  }

  /** The far end began a new SSRC: the same transport, a new producer. */
  followSsrc(ssrc: number, payloadType: number): Promise<void> {
    return this.#inTurn(() => this.#follow(ssrc, payloadType));
  }

  /**
   * Listens for keys under this SSRC. Where none come it has no effect: keys under another SSRC are heard on. While it is about to listen for
   * one, others are ignored.
   */
  async followKeys(ssrc: number, payloadType: number): Promise<void> {
    if (this.#followingKeys) return;
    this.#followingKeys = true;
    try {
      await this.#inTurn(() => this.#followKeys(ssrc, payloadType));
    } finally {
      this.#followingKeys = false;
    }
  }

  async #followKeys(ssrc: number, payloadType: number): Promise<void> {
    const known = [this.#incoming.ssrc, this.#ownKeys?.ssrc, this.#maybeKeys?.ssrc];
    if (this.#closed || known.includes(ssrc)) return;
    const own = await receiveKeys(this.#options, this.#transport, ssrc, payloadType);
    closeKeys(this.#maybeKeys);
    this.#maybeKeys = own;
    own.keys.once('rtp', () => {
      if (this.#maybeKeys !== own) return;
      closeKeys(this.#ownKeys);
      this.#ownKeys = own;
      this.#maybeKeys = null;
    });
    this.#listenToKeys(own.keys);
  }

  #forgetKeys(): void {
    closeKeys(this.#ownKeys);
    closeKeys(this.#maybeKeys);
    this.#ownKeys = null;
    this.#maybeKeys = null;
  }

  /** Lets copies of the voice through to `onVoice`, or no more. */
  tap(tapped: boolean): Promise<void> {
    this.#tapped = tapped;
    return this.#inTurn(() => this.#applyTap());
  }

  async #applyTap(): Promise<void> {
    const incoming = this.#incoming;
    if (this.#closed || this.#tapped === (incoming.tap !== null)) return;
    if (!this.#tapped) {
      incoming.tap?.close();
      incoming.tap = null;
      return;
    }
    const tap = await tapOf(this.#options, incoming.producer);
    if (this.#closed || !this.#tapped) return tap.close();
    incoming.tap = tap;
    this.#listenToVoice(incoming.ssrc, tap);
  }

  /** A turn that fails (its transport is closing) keeps nobody from theirs. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  async #follow(ssrc: number, payloadType: number): Promise<void> {
    if (this.#closed || ssrc === this.#incoming.ssrc) return;
    const old = this.#incoming;
    const oldStats = await statsOf(old.producer, null);
    if (ssrc === this.#ownKeys?.ssrc || ssrc === this.#maybeKeys?.ssrc) this.#forgetKeys();
    const incoming = await receive(this.#options, this.#transport, ssrc, payloadType, this.#tapped);
    if (this.#closed) return;
    this.#earlier = add(this.#earlier, oldStats);
    this.#incoming = incoming;
    this.ssrcChanges += 1;
    this.#listen(incoming);
    if (this.#direct) await incoming.toAgent?.resume();
    closeIncoming(old);
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
    return this.#last;
  }

  async stats(): Promise<RelayStats> {
    if (this.#closed) return noStats;
    return add(this.#earlier, await statsOf(this.#incoming.producer, this.#toCarrier));
  }

  /** Whether it can serve a leg with this description, or would have to be set up again. */
  serves(source: Source, laws: readonly Law[], keyPayloadTypes: readonly number[]): boolean {
    const { source: own, laws: ownLaws, keyPayloadTypes: ownKeys } = this.#options;
    return same(own, source) && sameList(ownLaws, laws) && sameList(ownKeys, keyPayloadTypes);
  }

  /** Rises with everything received, including what no producer accepts: comfort noise, RTCP. */
  async signsOfLife(): Promise<number> {
    const [stat] = this.#closed ? [] : await this.#transport.getStats();
    return stat?.bytesReceived ?? 0;
  }

  /** Bytes received, and how many of them the voice's producer accepted: the difference shows an SSRC without a producer. */
  async progress(): Promise<Progress> {
    const [transport, producer] = await Promise.all([
      this.#transport.getStats(),
      this.#incoming.producer.getStats(),
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
    closeIncoming(this.#incoming);
    this.#forgetKeys();
    this.#transport.close();
  }

  #traced(trace: types.ConsumerTraceEventData): void {
    if (trace.type !== 'rtp') return;
    // mediasoup types a trace's info as any; it tells the packet as sent (worker/fbs/rtpPacket.fbs).
    const { rtpPacket } = trace.info as { rtpPacket: StreamPosition };
    const { ssrc, sequenceNumber, timestamp } = rtpPacket;
    this.#last = { position: { ssrc, sequenceNumber, timestamp }, atMs: performance.now() };
  }

  #listen(incoming: Incoming): void {
    if (incoming.tap) this.#listenToVoice(incoming.ssrc, incoming.tap);
    if (incoming.keys) this.#listenToKeys(incoming.keys);
  }

  #listenToKeys(keys: types.Consumer): void {
    keys.on('rtp', (datagram) => {
      const packet = parseRtp(datagram);
      if (packet) this.#options.onKey(packet);
    });
  }

  #listenToVoice(ssrc: number, tap: types.Consumer): void {
    tap.on('rtp', (datagram) => {
      const packet = parseRtp(datagram);
      if (packet) this.#options.onVoice(packet, ssrc, tap);
    });
  }
}

const sameList = <T>(a: readonly T[], b: readonly T[]): boolean =>
  a.length === b.length && a.every((one, index) => one === b[index]);
