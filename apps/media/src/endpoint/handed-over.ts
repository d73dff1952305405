/**
 * A carrier leg handed over to mediasoup (design section 5): a PlainTransport on the leg's own port, locked to the source, and
 * one consumer each way with the agent's transport. No packet enters JavaScript but the far end's key presses, and, while somebody
 * listens (a supervisor, the recorder), a copy of each voice packet.
 *
 * mediasoup numbers what it sends itself: the carrier sees a new SSRC when a call is handed over. On the way back we learn where
 * mediasoup stopped and go on with its SSRC, sequence number and timestamp.
 */
import type { types } from 'mediasoup';
import { LAW_PAYLOAD_TYPE, type Law } from '../rtp/g711.ts';
import { DtmfReader } from '../rtp/dtmf.ts';
import { parseRtp, type RtpPacket } from '../rtp/packet.ts';
import type { StreamPosition } from '../rtp/continuity.ts';
import type { Source } from '../rtp/source-lock.ts';
import { EVENT_CODEC, VOICE_CODECS, type MediaWorker } from '../worker-pool.ts';

/** How long to wait for one packet that tells where mediasoup's numbering stands; a silent agent sends none. */
const LAST_PACKET_WAIT_MS = 45;

export interface HandOver {
  media: MediaWorker;
  bindAddress: string;
  port: number;
  source: Source;
  rtcpPort: number;
  ssrc: number;
  /** Laws the carrier may send. */
  laws: readonly Law[];
  /** What it sends now: mediasoup starts a stream at a packet of the first codec only. */
  payloadType: number;
  dtmfPayloadType: number | null;
  agentTransport: types.Transport;
  microphone: types.Producer;
  onDigit: (digit: string) => void;
  /** Somebody listens in; `tap` changes that later. */
  tapped: boolean;
  /** A voice packet, while tapped. `ssrc` is the far end's own; `via` changes with the numbering of the packets. */
  onVoice: (packet: RtpPacket, ssrc: number, via: object) => void;
}

export interface RelayStats {
  receivedPackets: number;
  receivedBytes: number;
  lost: number;
  jitter: number;
  sentPackets: number;
  sentBytes: number;
  /** As the carrier's RTCP last told, if it did. */
  roundTripMs: number | null;
  /** 0 to 1. */
  remoteLoss: number | null;
}

const noStats: RelayStats = {
  receivedPackets: 0,
  receivedBytes: 0,
  lost: 0,
  jitter: 0,
  sentPackets: 0,
  sentBytes: 0,
  roundTripMs: null,
  remoteLoss: null,
};

interface Incoming {
  ssrc: number;
  producer: types.Producer;
  toAgent: types.Consumer | null;
  keys: types.Consumer | null;
  tap: types.Consumer | null;
}

export class HandedOver {
  readonly #options: HandOver;
  readonly #transport: types.PlainTransport;
  readonly #toCarrier: types.Consumer;
  readonly #digits = new DtmfReader();
  #incoming: Incoming;
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

  /** Of what `stats` tells, the one figure that the watch asks for again and again. */
  async receivedPackets(): Promise<number> {
    if (this.#closed) return this.#earlier.receivedPackets;
    const { receivedPackets } = await statsOf(this.#incoming.producer, null);
    return this.#earlier.receivedPackets + receivedPackets;
  }

  /** Bytes on the wire and packets the producer took: together they tell an SSRC nobody listens to from silence. */
  async progress(): Promise<{ wireBytes: number; packets: number }> {
    const [transport, producer] = await Promise.all([
      this.#transport.getStats(),
      this.#incoming.producer.getStats(),
    ]);
    return {
      wireBytes: transport[0]?.bytesReceived ?? 0,
      packets: producer.reduce((sum, stat) => sum + stat.packetCount, 0),
    };
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    closeIncoming(this.#incoming);
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
    incoming.keys?.on('rtp', (datagram) => {
      const packet = parseRtp(datagram);
      const digit = packet && this.#digits.read(packet.timestamp, packet.payload);
      if (digit) this.#options.onDigit(digit);
    });
  }

  #listenToVoice(ssrc: number, tap: types.Consumer): void {
    tap.on('rtp', (datagram) => {
      const packet = parseRtp(datagram);
      if (packet) this.#options.onVoice(packet, ssrc, tap);
    });
  }
}

async function receive(
  options: HandOver,
  transport: types.PlainTransport,
  ssrc: number,
  payloadType: number,
  tapped: boolean,
): Promise<Incoming> {
  const codecs: types.RtpCodecParameters[] = options.laws.map((law) => ({
    mimeType: `audio/${law}`,
    payloadType: LAW_PAYLOAD_TYPE[law],
    clockRate: 8_000,
  }));
  codecs.sort((a, b) => Number(b.payloadType === payloadType) - Number(a.payloadType === payloadType));
  if (options.dtmfPayloadType !== null) {
    codecs.push({
      mimeType: EVENT_CODEC.mimeType,
      payloadType: options.dtmfPayloadType,
      clockRate: EVENT_CODEC.clockRate,
    });
  }
  const producer = await transport.produce({
    kind: 'audio',
    rtpParameters: { codecs, encodings: [{ ssrc }] },
  });
  try {
    const toAgent = await toAgentOf(options, producer);
    const keys =
      options.dtmfPayloadType === null
        ? null
        : await options.media.direct.consume({
            producerId: producer.id,
            rtpCapabilities: { codecs: [EVENT_CODEC], headerExtensions: [] },
          });
    const tap = tapped ? await tapOf(options, producer) : null;
    return { ssrc, producer, toAgent, keys, tap };
  } catch (error) {
    producer.close();
    throw error;
  }
}

function toAgentOf(options: HandOver, producer: types.Producer): Promise<types.Consumer> {
  return options.agentTransport.consume({
    producerId: producer.id,
    rtpCapabilities: { codecs: VOICE_CODECS, headerExtensions: [] },
    paused: true,
  });
}

function tapOf(options: HandOver, producer: types.Producer): Promise<types.Consumer> {
  return options.media.direct.consume({
    producerId: producer.id,
    rtpCapabilities: { codecs: VOICE_CODECS, headerExtensions: [] },
  });
}

/** Closing the producer closes its consumers in the worker too; each is closed here so that nothing waits for that. */
function closeIncoming(incoming: Incoming): void {
  incoming.toAgent?.close();
  incoming.keys?.close();
  incoming.tap?.close();
  incoming.producer.close();
}

async function statsOf(producer: types.Producer, consumer: types.Consumer | null): Promise<RelayStats> {
  const received = producer.closed ? [] : await producer.getStats();
  const sent = consumer && !consumer.closed ? await consumer.getStats() : [];
  const stats = { ...noStats };
  for (const stat of received) {
    stats.receivedPackets += stat.packetCount;
    stats.receivedBytes += stat.byteCount;
    stats.lost += Math.max(0, stat.packetsLost);
    stats.jitter = stat.jitter;
  }
  for (const stat of sent) {
    if (stat.type !== 'outbound-rtp') continue;
    stats.sentPackets += stat.packetCount;
    stats.sentBytes += stat.byteCount;
    // mediasoup tells a round trip of 0 until the first receiver report has come.
    if (!stat.roundTripTime) continue;
    stats.roundTripMs = Math.round(stat.roundTripTime);
    stats.remoteLoss = stat.fractionLost / 256;
  }
  return stats;
}

function add(a: RelayStats, b: RelayStats): RelayStats {
  return {
    receivedPackets: a.receivedPackets + b.receivedPackets,
    receivedBytes: a.receivedBytes + b.receivedBytes,
    lost: a.lost + b.lost,
    jitter: b.jitter,
    sentPackets: a.sentPackets + b.sentPackets,
    sentBytes: a.sentBytes + b.sentBytes,
    roundTripMs: b.roundTripMs ?? a.roundTripMs,
    remoteLoss: b.remoteLoss ?? a.remoteLoss,
  };
}
