/** mediasoup transports on both sides of an ICE bridge, and audio between them. All are ICE-lite. */
import { randomInt } from 'node:crypto';
import pino from 'pino';
import type { types } from 'mediasoup';
import { ICE_TIMING, type IceTiming } from '../../src/ice/ice-check-types.ts';
import { IceBridge, type IceBridgeOptions } from '../../src/ice/ice-bridge.ts';
import type { RemoteDescription } from '../../src/ice/ice-sdp.ts';
import { buildRtp, parseRtp } from '../../src/rtp/packet.ts';
import { WorkerPool } from '../../src/worker-pool.ts';
import { eventually } from './fake-realtime.ts';

const OPUS_PAYLOAD_TYPE = 111;
const OPUS: types.RtpCodecCapability = {
  kind: 'audio',
  mimeType: 'audio/opus',
  clockRate: 48_000,
  channels: 2,
  preferredPayloadType: OPUS_PAYLOAD_TYPE,
};
const FRAME_SAMPLES = 960;
const PAYLOAD_BYTES = 60;
/** At most this many packets are on their way, so that no socket's buffer overflows. */
export const WINDOW = 40;

/** Checks that find out soon that nobody answers, but not while a busy machine stalls. */
export const IMPATIENT: IceTiming = {
  ...ICE_TIMING,
  firstRetryMs: 20,
  maxRetryMs: 40,
  limitMs: 1_000,
  consentIntervalMs: 50,
  consentTimeoutMs: 1_000,
};

export interface Peer {
  router: types.Router;
  direct: types.DirectTransport;
  transport: types.WebRtcTransport;
}

/** What a bridge reported. */
export interface Reports {
  connected: number;
  lost: number;
  failures: Error[];
  datagramFailures: unknown[];
}

export class IcePeers {
  readonly #pool: WorkerPool;
  readonly #bridges: IceBridge[] = [];

  private constructor(pool: WorkerPool) {
    this.#pool = pool;
  }

  static async start(): Promise<IcePeers> {
    const pool = await WorkerPool.start({
      bin: undefined,
      count: 1,
      bindAddress: '127.0.0.1',
      announcedAddress: '127.0.0.1',
      webRtcPort: 0,
      log: pino({ level: 'silent' }),
      onDropped: () => undefined,
      onDeath: () => undefined,
    });
    return new IcePeers(pool);
  }

  /** A transport with a router of its own. */
  peer(): Promise<Peer> {
    return peerOf(this.#pool.acquire().worker);
  }

  async bridge(
    peer: Peer,
    change: Partial<IceBridgeOptions> = {},
  ): Promise<{ bridge: IceBridge; reports: Reports }> {
    const reports: Reports = { connected: 0, lost: 0, failures: [], datagramFailures: [] };
    const bridge = await IceBridge.open({
      bindAddress: '127.0.0.1',
      port: 0,
      transport: peer.transport,
      isAllowed: () => true,
      onConnected: () => (reports.connected += 1),
      onLost: () => (reports.lost += 1),
      onFailure: (error) => reports.failures.push(error),
      onDatagramFailure: (error) => reports.datagramFailures.push(error),
      ...change,
    });
    this.#bridges.push(bridge);
    return { bridge, reports };
  }

  async closeBridges(): Promise<void> {
    await Promise.all(this.#bridges.splice(0).map((bridge) => bridge.close()));
  }

  async close(): Promise<void> {
    await this.closeBridges();
    this.#pool.close();
  }
}

/** A transport with a router of its own. */
export async function peerOf(worker: types.Worker): Promise<Peer> {
  const router = await worker.createRouter({ mediaCodecs: [OPUS] });
  const direct = await router.createDirectTransport();
  const transport = await router.createWebRtcTransport({
    listenInfos: [{ protocol: 'udp', ip: '127.0.0.1' }],
  });
  return { router, direct, transport };
}

/** What a peer's session description says; through a bridge, its ICE is that of the bridge. */
export function describePeer(
  peer: Peer,
  setup: 'active' | 'passive',
  bridge: IceBridge | null = null,
): RemoteDescription {
  const [own] = peer.transport.iceCandidates;
  if (!own) throw new Error('the transport has no candidate');
  return {
    mid: 'audio',
    credentials: bridge?.credentials ?? peer.transport.iceParameters,
    iceLite: bridge === null,
    candidates: [{ address: '127.0.0.1', port: bridge?.port ?? own.port, priority: own.priority }],
    fingerprint: sha256Of(peer),
    setup,
    opusPayloadType: OPUS_PAYLOAD_TYPE,
    telephoneEventPayloadType: null,
    direction: 'sendrecv',
    ssrc: null,
    audioIndex: 0,
    lines: [],
  };
}

export function sha256Of({ transport }: Peer): types.DtlsFingerprint {
  const found = transport.dtlsParameters.fingerprints.find(({ algorithm }) => algorithm === 'sha-256');
  if (!found) throw new Error('the transport has no sha-256 fingerprint');
  return found;
}

/** Makes an ICE-lite peer expect a party with this certificate in this DTLS role. */
export async function expectParty(peer: Peer, party: Peer, role: 'client' | 'server'): Promise<void> {
  await peer.transport.connect({ dtlsParameters: { role, fingerprints: [sha256Of(party)] } });
}

export const dtlsConnected = (...peers: Peer[]): Promise<void> =>
  eventually('DTLS is connected', () => peers.every(({ transport }) => transport.dtlsState === 'connected'));

/** Sends numbered packets in both directions. Resolves with the numbers that arrived, in order of arrival. */
export function exchange(a: Peer, b: Peer, count: number): Promise<[number[], number[]]> {
  return Promise.all([sendAudio(a, b, count), sendAudio(b, a, count)]);
}

async function sendAudio(from: Peer, to: Peer, count: number): Promise<number[]> {
  const { ssrc, send } = await speaking(from);
  const received = await hearing(to, ssrc);
  for (let number = 0; number < count; number += 1) {
    await eventually('packets arrive', () => received.length > number - WINDOW);
    send(number);
  }
  await eventually('the last packet arrives', () => received.at(-1) === count - 1);
  return received;
}

/** Lets a peer send numbered packets with this SSRC. */
export async function speaking({ direct, transport, router }: Peer): Promise<{
  ssrc: number;
  send: (number: number) => void;
}> {
  const voice = await direct.produce({
    kind: 'audio',
    rtpParameters: opusParameters(randomInt(1, 0x7fffffff)),
  });
  const consumer = await transport.consume({
    producerId: voice.id,
    rtpCapabilities: router.rtpCapabilities,
  });
  const ssrcOf = ({ encodings }: types.RtpParameters) => encodings?.[0]?.ssrc ?? 0;
  const send = (number: number) => voice.send(numberedPacket(number, ssrcOf(voice.rtpParameters)));
  return { ssrc: ssrcOf(consumer.rtpParameters), send };
}

/** Collects the numbers of the packets that arrive at a peer with this SSRC. */
export async function hearing({ direct, transport, router }: Peer, ssrc: number): Promise<number[]> {
  const arriving = await transport.produce({ kind: 'audio', rtpParameters: opusParameters(ssrc) });
  const heard = await direct.consume({
    producerId: arriving.id,
    rtpCapabilities: router.rtpCapabilities,
  });
  const received: number[] = [];
  heard.on('rtp', (datagram) => {
    const number = numberOf(datagram);
    if (number !== null) received.push(number);
  });
  return received;
}

export function numberedPacket(number: number, ssrc: number): Buffer {
  const payload = Buffer.alloc(PAYLOAD_BYTES, number & 0xff);
  payload.writeUInt32BE(number, 0);
  return buildRtp({
    payloadType: OPUS_PAYLOAD_TYPE,
    marker: number === 0,
    sequenceNumber: number & 0xffff,
    timestamp: number * FRAME_SAMPLES,
    ssrc,
    payload,
  });
}

/** Null if it is not an audio packet. */
export function numberOf(datagram: Buffer): number | null {
  const packet = parseRtp(datagram);
  return packet?.payloadType === OPUS_PAYLOAD_TYPE ? packet.payload.readUInt32BE(0) : null;
}

function opusParameters(ssrc: number): types.RtpParameters {
  return {
    codecs: [{ mimeType: 'audio/opus', payloadType: OPUS_PAYLOAD_TYPE, clockRate: 48_000, channels: 2 }],
    encodings: [{ ssrc }],
  };
}
