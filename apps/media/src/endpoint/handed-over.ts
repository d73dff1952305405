/**
 * A carrier leg handed over to mediasoup (design section 5): a PlainTransport on the leg's own port, locked to the source, and
 * one consumer each way with the agent's transport. No packet enters JavaScript but the far end's key presses.
 *
 * mediasoup numbers what it sends itself: the carrier sees a new SSRC when a call is handed over. On the way back we learn where
 * mediasoup stopped and go on with its SSRC, sequence number and timestamp.
 */
import type { types } from 'mediasoup';
import { LAW_PAYLOAD_TYPE, type Law } from '../rtp/g711.ts';
import { DtmfReader } from '../rtp/dtmf.ts';
import { parseRtp } from '../rtp/packet.ts';
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
  /** Called with the agent's new consumer; the agent leg owns its life. */
  onDigit: (digit: string) => void;
}

export interface RelayStats {
  receivedPackets: number;
  receivedBytes: number;
  lost: number;
  jitter: number;
  sentPackets: number;
  sentBytes: number;
}

const noStats: RelayStats = {
  receivedPackets: 0,
  receivedBytes: 0,
  lost: 0,
  jitter: 0,
  sentPackets: 0,
  sentBytes: 0,
};

interface Incoming {
  ssrc: number;
  producer: types.Producer;
  toAgent: types.Consumer;
  keys: types.Consumer | null;
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
    this.#listenForKeys(incoming);
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
      const incoming = await receive(options, transport, options.ssrc, options.payloadType);
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

  async startTowardsAgent(): Promise<void> {
    await this.#incoming.toAgent.resume();
  }

  async startTowardsCarrier(): Promise<void> {
    await this.#toCarrier.resume();
  }

  /** The far end began a new SSRC: the same transport, a new producer. */
  async followSsrc(ssrc: number, payloadType: number): Promise<void> {
    if (this.#closed || ssrc === this.#incoming.ssrc) return;
    const old = this.#incoming;
    const oldStats = await statsOf(old.producer, null);
    const incoming = await receive(this.#options, this.#transport, ssrc, payloadType);
    if (this.#closed) return;
    this.#earlier = add(this.#earlier, oldStats);
    this.#incoming = incoming;
    this.ssrcChanges += 1;
    this.#listenForKeys(incoming);
    await incoming.toAgent.resume();
    closeIncoming(old);
  }

  /** Stops sending to the carrier and tells where the stream stands; null when nothing was sent that we saw. */
  async stopTowardsCarrier(): Promise<{ position: StreamPosition; atMs: number } | null> {
    await this.#toCarrier.enableTraceEvent(['rtp']);
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, LAST_PACKET_WAIT_MS);
    this.#toCarrier.once('trace', () => resolve());
    await promise;
    clearTimeout(timer);
    // The answer to `pause` comes after every trace of a packet sent before it.
    await this.#toCarrier.pause();
    return this.#last;
  }

  async stats(): Promise<RelayStats> {
    if (this.#closed) return noStats;
    return add(this.#earlier, await statsOf(this.#incoming.producer, this.#toCarrier));
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

  #listenForKeys(incoming: Incoming): void {
    incoming.keys?.on('rtp', (datagram) => {
      const packet = parseRtp(datagram);
      const digit = packet && this.#digits.read(packet.timestamp, packet.payload);
      if (digit) this.#options.onDigit(digit);
    });
  }
}

async function receive(
  options: HandOver,
  transport: types.PlainTransport,
  ssrc: number,
  payloadType: number,
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
    const toAgent = await options.agentTransport.consume({
      producerId: producer.id,
      rtpCapabilities: { codecs: VOICE_CODECS, headerExtensions: [] },
      paused: true,
    });
    const keys =
      options.dtmfPayloadType === null
        ? null
        : await options.media.direct.consume({
            producerId: producer.id,
            rtpCapabilities: { codecs: [EVENT_CODEC], headerExtensions: [] },
          });
    return { ssrc, producer, toAgent, keys };
  } catch (error) {
    producer.close();
    throw error;
  }
}

/** Closing the producer closes its consumers in the worker too; each is closed here so that nothing waits for that. */
function closeIncoming(incoming: Incoming): void {
  incoming.toAgent.close();
  incoming.keys?.close();
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
  };
}
