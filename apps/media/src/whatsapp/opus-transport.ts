/**
 * The mediasoup side of a WhatsApp leg: a WebRtcTransport on the loopback interface, in a router of its own, whose audio
 * enters and leaves JavaScript as RTP. The router belongs to the leg because its payload types are those that Meta's offer
 * names, and because the router of the SIP calls need not know Opus.
 */
import { randomInt } from 'node:crypto';
import type { types } from 'mediasoup';
import { addStats, emptyStats, statsOf, type MediasoupStats } from '../endpoint/mediasoup-stats.ts';
import { DescriptionError, type RemoteDescription } from '../ice/ice-sdp.ts';
import { parseRtp, type RtpPacket } from '../rtp/packet.ts';
import { EVENT_CODECS, type MediaWorker } from '../worker-pool.ts';
import { OPUS_CLOCK_RATE } from './opus-input.ts';

export interface PayloadTypes {
  opus: number;
  /** Of telephone events. */
  events: number;
}

/** Those of our offers, which are those of Meta's. */
export const OFFERED_PAYLOAD_TYPES = { opus: 111, events: 126 } as const;

const LOOPBACK = '127.0.0.1';
const MAX_UINT31 = 0x7fffffff;

/** The payload types of an offer. Throws DescriptionError if they are not dynamic ones, or not different. */
export function payloadTypesOf(offer: RemoteDescription): PayloadTypes {
  const { opusPayloadType: opus } = offer;
  // Meta sends events to a business that has not negotiated them too.
  const events = offer.telephoneEventPayloadType ?? OFFERED_PAYLOAD_TYPES.events;
  if (!isDynamic(opus) || !isDynamic(events) || events === opus)
    throw new DescriptionError('a=rtpmap: Opus and telephone events need two dynamic payload types');
  return { opus, events };
}

/** RFC 3551 §6 and RFC 5761 §4. */
const isDynamic = (payloadType: number): boolean =>
  (payloadType >= 96 && payloadType <= 127) || (payloadType >= 35 && payloadType <= 63);

export class OpusTransport {
  readonly transport: types.WebRtcTransport;
  /** Of the packets for `send`. */
  readonly inputSsrc: number;
  readonly #router: types.Router;
  readonly #direct: types.DirectTransport;
  readonly #output: types.Producer;
  readonly #outputConsumer: types.Consumer;
  readonly #payloadTypes: PayloadTypes;
  readonly #onPacket: (packet: RtpPacket) => void;
  #microphone: types.Producer | null = null;
  #earlier: MediasoupStats = emptyStats;

  private constructor(
    parts: {
      router: types.Router;
      direct: types.DirectTransport;
      transport: types.WebRtcTransport;
      output: types.Producer;
      outputConsumer: types.Consumer;
      inputSsrc: number;
    },
    payloadTypes: PayloadTypes,
    onPacket: (packet: RtpPacket) => void,
  ) {
    this.#router = parts.router;
    this.#direct = parts.direct;
    this.transport = parts.transport;
    this.#output = parts.output;
    this.#outputConsumer = parts.outputConsumer;
    this.inputSsrc = parts.inputSsrc;
    this.#payloadTypes = payloadTypes;
    this.#onPacket = onPacket;
  }

  /** @param onPacket called with every packet of the customer: Opus and telephone events */
  static async create(
    { worker }: MediaWorker,
    payloadTypes: PayloadTypes,
    onPacket: (packet: RtpPacket) => void,
  ): Promise<OpusTransport> {
    const router = await worker.createRouter({ mediaCodecs: routerCodecs(payloadTypes) });
    try {
      const direct = await router.createDirectTransport();
      const transport = await router.createWebRtcTransport({
        listenInfos: [{ protocol: 'udp', ip: LOOPBACK }],
      });
      const inputSsrc = randomInt(1, MAX_UINT31);
      const output = await direct.produce({
        kind: 'audio',
        rtpParameters: { codecs: streamCodecs(payloadTypes), encodings: [{ ssrc: inputSsrc }] },
      });
      const outputConsumer = await transport.consume({
        producerId: output.id,
        rtpCapabilities: withoutExtensions(router),
      });
      const parts = { router, direct, transport, output, outputConsumer, inputSsrc };
      return new OpusTransport(parts, payloadTypes, onPacket);
    } catch (error) {
      router.close();
      throw error;
    }
  }

  /** The SSRC that the customer receives. */
  get outputSsrc(): number {
    return this.#outputConsumer.rtpParameters.encodings?.[0]?.ssrc ?? 0;
  }

  /** From now on the customer's audio has this SSRC. Not to be called again before it has resolved. */
  async receiveFrom(ssrc: number): Promise<void> {
    if (this.#router.closed) return;
    const before = this.#microphone;
    if (before) {
      this.#earlier = addStats(this.#earlier, await statsOf(before, null));
      this.#microphone = null;
      before.close();
    }
    const microphone = await this.transport.produce({
      kind: 'audio',
      rtpParameters: { codecs: streamCodecs(this.#payloadTypes), encodings: [{ ssrc }] },
    });
    this.#microphone = microphone;
    const tap = await this.#direct.consume({
      producerId: microphone.id,
      rtpCapabilities: withoutExtensions(this.#router),
    });
    tap.on('rtp', (datagram) => {
      const packet = parseRtp(datagram);
      if (packet) this.#onPacket(packet);
    });
  }

  /** Sends one RTP packet with `inputSsrc` and the payload types of this transport to the customer. */
  send(datagram: Buffer): void {
    if (!this.#output.closed) this.#output.send(datagram);
  }

  async stats(): Promise<MediasoupStats> {
    return addStats(this.#earlier, await statsOf(this.#microphone, this.#outputConsumer));
  }

  close(): void {
    this.#router.close();
  }
}

/** Our descriptions negotiate no header extension. */
const withoutExtensions = ({ rtpCapabilities: { codecs } }: types.Router): types.RtpCapabilities => ({
  ...(codecs === undefined ? {} : { codecs }),
  headerExtensions: [],
});

/** Telephone events have the name of another codec with the same clock rate: see EVENT_CODECS. */
function routerCodecs({ opus, events }: PayloadTypes): types.RtpCodecCapability[] {
  const [eventCodec] = EVENT_CODECS;
  const codecs: types.RtpCodecCapability[] = [
    {
      kind: 'audio',
      mimeType: 'audio/opus',
      clockRate: OPUS_CLOCK_RATE,
      channels: 2,
      preferredPayloadType: opus,
    },
  ];
  if (eventCodec) codecs.push({ ...eventCodec, preferredPayloadType: events });
  return codecs;
}

function streamCodecs(payloadTypes: PayloadTypes): types.RtpCodecParameters[] {
  return routerCodecs(payloadTypes).map(({ mimeType, clockRate, channels, preferredPayloadType = 0 }) => ({
    mimeType,
    clockRate,
    payloadType: preferredPayloadType,
    ...(channels === undefined ? {} : { channels }),
  }));
}
