/** What the mediasoup endpoint receives: one producer per RTP stream of the remote party, with its consumers. */
import type { types } from 'mediasoup';
import { LAW_PAYLOAD_TYPE, type Law } from '../rtp/g711.ts';
import type { RtpPacket } from '../rtp/packet.ts';
import type { Source } from '../rtp/source-lock.ts';
import { EVENT_CODECS, VOICE_CODECS, type MediaWorker } from '../worker-pool.ts';

export interface MediasoupEndpointOptions {
  media: MediaWorker;
  bindAddress: string;
  port: number;
  source: Source;
  rtcpPort: number;
  ssrc: number;
  /** The codecs that the carrier may send. */
  laws: readonly Law[];
  /** The codec it sends now. mediasoup starts a stream only at a packet of the producer's first codec. */
  payloadType: number;
  /** Payload types of telephone events. */
  dtmfPayloadTypes: readonly number[];
  agentTransport: types.Transport;
  microphone: types.Producer;
  /** Called for every packet of a telephone event, with any SSRC. */
  onDtmfPacket: (packet: RtpPacket) => void;
  /** Whether voice packets are passed to `onVoice` from the start; `tap` changes it. */
  tapped: boolean;
  /**
   * Called for every voice packet while tapped. `ssrc` is the remote party's own; `via` changes whenever the packets
   * are renumbered.
   */
  onVoice: (packet: RtpPacket, ssrc: number, via: object) => void;
  /** A voice with a new SSRC has replaced the previous one. */
  onSsrcChanged: () => void;
}

export interface RemoteStream {
  ssrc: number;
  producer: types.Producer;
  toAgent: types.Consumer | null;
  keys: types.Consumer | null;
  tap: types.Consumer | null;
}

export async function createRemoteStream(
  options: MediasoupEndpointOptions,
  transport: types.PlainTransport,
  ssrc: number,
  payloadType: number,
  tapped: boolean,
): Promise<RemoteStream> {
  const codecs: types.RtpCodecParameters[] = options.laws.map((law) => ({
    mimeType: `audio/${law}`,
    payloadType: LAW_PAYLOAD_TYPE[law],
    clockRate: 8_000,
  }));
  codecs.sort((a, b) => Number(b.payloadType === payloadType) - Number(a.payloadType === payloadType));
  codecs.push(...dtmfCodecs(options.dtmfPayloadTypes));
  const producer = await transport.produce({
    kind: 'audio',
    rtpParameters: { codecs, encodings: [{ ssrc }] },
  });
  try {
    const toAgent = await consumeForAgent(options, producer);
    const keys = options.dtmfPayloadTypes.length === 0 ? null : await consumeDtmf(options, producer);
    const tap = tapped ? await consumeTap(options, producer) : null;
    return { ssrc, producer, toAgent, keys, tap };
  } catch (error) {
    producer.close();
    throw error;
  }
}

export function consumeForAgent(
  options: MediasoupEndpointOptions,
  producer: types.Producer,
): Promise<types.Consumer> {
  return options.agentTransport.consume({
    producerId: producer.id,
    rtpCapabilities: { codecs: VOICE_CODECS, headerExtensions: [] },
    paused: true,
  });
}

export function consumeTap(
  options: MediasoupEndpointOptions,
  producer: types.Producer,
): Promise<types.Consumer> {
  return options.media.direct.consume({
    producerId: producer.id,
    rtpCapabilities: { codecs: VOICE_CODECS, headerExtensions: [] },
  });
}

/** The worker closes the consumers together with their producer. Closing them here avoids waiting for that. */
export function closeRemoteStream(remoteStream: RemoteStream): void {
  remoteStream.toAgent?.close();
  remoteStream.keys?.close();
  remoteStream.tap?.close();
  remoteStream.producer.close();
}

/** DTMF that has its own SSRC. */
export interface DtmfStream {
  ssrc: number;
  producer: types.Producer;
  keys: types.Consumer;
}

export function closeDtmfStream(own: DtmfStream | null): void {
  own?.keys.close();
  own?.producer.close();
}

export async function createDtmfStream(
  options: MediasoupEndpointOptions,
  transport: types.PlainTransport,
  ssrc: number,
  payloadType: number,
): Promise<DtmfStream> {
  const producer = await transport.produce({
    kind: 'audio',
    rtpParameters: { codecs: dtmfCodecs([payloadType]), encodings: [{ ssrc }] },
  });
  try {
    return { ssrc, producer, keys: await consumeDtmf(options, producer) };
  } catch (error) {
    producer.close();
    throw error;
  }
}

/** Limited by the number of spare codec names. */
const dtmfCodecs = (payloadTypes: readonly number[]): types.RtpCodecParameters[] =>
  EVENT_CODECS.flatMap(({ mimeType, clockRate }, index) => {
    const payloadType = payloadTypes[index];
    return payloadType === undefined ? [] : [{ mimeType, payloadType, clockRate }];
  });

const consumeDtmf = (options: MediasoupEndpointOptions, producer: types.Producer): Promise<types.Consumer> =>
  options.media.direct.consume({
    producerId: producer.id,
    rtpCapabilities: { codecs: EVENT_CODECS, headerExtensions: [] },
  });
