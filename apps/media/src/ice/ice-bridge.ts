/**
 * Connects a remote party that is ICE-lite to a mediasoup transport, which is ICE-lite too (docs/decisions/ice-bridge.md).
 * Two lite ends only answer checks, so neither would start. The bridge is a full, controlling ICE agent towards the remote
 * party on a public port and another one towards the transport on the loopback interface. It relays DTLS, SRTP and SRTCP
 * between the two unchanged: keys and codecs are mediasoup's business.
 */
import { isIP } from 'node:net';
import type { types } from 'mediasoup';
import { IceAgent, type IceCredentials } from './ice-agent.ts';
import { ICE_TIMING, type IceTiming } from './ice-check-types.ts';
import { IcePort } from './ice-port.ts';
import type { RemoteDescription } from './ice-sdp.ts';
import type { Endpoint } from './stun-address.ts';
import { looksLikeStun } from './stun-message.ts';

export type BridgedTransport = Pick<types.WebRtcTransport, 'iceParameters' | 'iceCandidates' | 'connect'>;

export interface IceBridgeOptions {
  /** The address of the port towards the remote party. */
  bindAddress: string;
  /** 0: the system chooses. */
  port: number;
  /** Listens on the loopback interface. */
  transport: BridgedTransport;
  /** Whether anything may be sent to this address. Prevents SDP from making us send into the networks we can reach. */
  isAllowed: (address: string) => boolean;
  /** Called for each SRTP or SRTCP datagram of the remote party. By default all are relayed. */
  judgeMedia?: (datagram: Buffer) => MediaVerdict;
  /** Datagrams pass in both directions. */
  onConnected: () => void;
  /** Called at most once, and not after `onFailure`: the remote party no longer answers checks. */
  onLost: () => void;
  /** Called at most once: the remote party cannot be reached. */
  onFailure: (error: Error) => void;
  /** Called for the first datagram that our code failed to handle; later failures are only counted. */
  onDatagramFailure: (error: unknown) => void;
  timing?: IceTiming;
}

/** `keep`: the transport cannot use it yet; the bridge gets it again by `relayKept`. */
export type MediaVerdict = 'relay' | 'keep' | 'drop';

export interface RelayCounter {
  packets: number;
  bytes: number;
}

export interface IceBridgeCounters {
  fromRemote: RelayCounter;
  toRemote: RelayCounter;
  /** Datagrams from other sources than the remote party, before its address was known to the kernel. */
  droppedSource: number;
  /** STUN that was not authentic or answered nothing of ours. */
  droppedStun: number;
  /** What is neither STUN, DTLS nor SRTP, what came before both sides were ready, and what `judgeMedia` dropped. */
  droppedOther: number;
  failedDatagrams: number;
}

/** The remote party could not be reached, or its description names nothing that may be reached. */
export class IceFailure extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'IceFailure';
  }
}

const LOOPBACK = { 4: '127.0.0.1', 6: '::1' };

export class IceBridge {
  readonly #options: IceBridgeOptions;
  readonly #remoteAgent: IceAgent;
  readonly #transportAgent: IceAgent;
  #remotePort: IcePort | null = null;
  #transportPort: IcePort | null = null;
  readonly #fromRemote: RelayCounter = { packets: 0, bytes: 0 };
  readonly #toRemote: RelayCounter = { packets: 0, bytes: 0 };
  #droppedSource = 0;
  #droppedOther = 0;
  #state: 'open' | 'connecting' | 'ended' = 'open';
  /** What connects the two sides, one after the other. */
  #starts: (() => void)[] = [];

  private constructor(options: IceBridgeOptions) {
    this.#options = options;
    const timing = options.timing ?? ICE_TIMING;
    this.#remoteAgent = new IceAgent({
      timing,
      isAllowed: options.isAllowed,
      send: (datagram, to) => this.#remotePort?.send(datagram, to),
      onSelected: (remote) => this.#remotePort?.selectRemote(remote),
      onConnected: () => {
        this.#remotePort?.connect();
        this.#startNext();
      },
      onFailed: (code) => this.#fail(failureOf('the remote party', code)),
      onLost: () => this.#lose(),
    });
    this.#transportAgent = new IceAgent({
      timing,
      isAllowed: () => true,
      send: (datagram, to) => this.#transportPort?.send(datagram, to),
      onSelected: (remote) => this.#transportPort?.selectRemote(remote),
      onConnected: () => {
        this.#transportPort?.connect();
        this.#startNext();
      },
      onFailed: (code) => this.#fail(failureOf('the mediasoup transport', code)),
      onLost: () => this.#lose(),
    });
  }

  /** Opens both sockets. Requests of the remote party are answered from now on. */
  static async open(options: IceBridgeOptions): Promise<IceBridge> {
    const bridge = new IceBridge(options);
    const onFailure = options.onDatagramFailure;
    bridge.#remotePort = await IcePort.open({
      address: options.bindAddress,
      port: options.port,
      onDatagram: (datagram, from) => bridge.#onRemoteDatagram(datagram, from),
      onFailure,
    });
    try {
      const [inner] = innerCandidates(options.transport);
      bridge.#transportPort = await IcePort.open({
        address: isIP(inner?.address ?? '') === 6 ? LOOPBACK[6] : LOOPBACK[4],
        port: 0,
        onDatagram: (datagram, from) => bridge.#onTransportDatagram(datagram, from),
        onFailure,
      });
    } catch (error) {
      await bridge.close();
      throw error;
    }
    return bridge;
  }

  /** What our description tells the remote party. */
  get credentials(): IceCredentials {
    return this.#remoteAgent.credentials;
  }

  get port(): number {
    return this.#remotePort?.number ?? 0;
  }

  get counters(): IceBridgeCounters {
    return {
      fromRemote: { ...this.#fromRemote },
      toRemote: { ...this.#toRemote },
      droppedSource: this.#droppedSource,
      droppedStun: this.#remoteAgent.rejected + this.#transportAgent.rejected,
      droppedOther: this.#droppedOther,
      failedDatagrams: (this.#remotePort?.failedDatagrams ?? 0) + (this.#transportPort?.failedDatagrams ?? 0),
    };
  }

  /**
   * Starts the connection to the remote party. Throws IceFailure if its description contains no candidate that may be
   * used.
   */
  async connect(description: RemoteDescription): Promise<void> {
    if (this.#state !== 'open') throw new Error('the bridge is already connecting');
    const { bindAddress, isAllowed, transport } = this.#options;
    const family = isIP(bindAddress);
    const candidates = description.candidates.filter(
      ({ address }) => isIP(address) === family && isAllowed(address),
    );
    if (candidates.length === 0) {
      const all = description.candidates.map(({ address }) => address).join(', ');
      throw new IceFailure(`no candidate of the remote party may be used from ${bindAddress}: ${all}`);
    }
    this.#state = 'connecting';
    const role = remoteDtlsRole(description);
    await transport.connect({ dtlsParameters: { role, fingerprints: [description.fingerprint] } });
    // `close` may have been called in the meantime.
    if (!this.#isOpen) return;
    const { usernameFragment, password, iceLite } = transport.iceParameters;
    const startRemote = () =>
      this.#remoteAgent.start({
        credentials: description.credentials,
        candidates,
        lite: description.iceLite,
      });
    const startTransport = () =>
      this.#transportAgent.start({
        credentials: { usernameFragment, password },
        candidates: innerCandidates(transport),
        lite: iceLite === true,
      });
    // The DTLS client sends its first message as soon as its side is connected, and repeats it late if it is lost.
    // Therefore the server's side is connected first.
    this.#starts = role === 'client' ? [startTransport, startRemote] : [startRemote, startTransport];
    this.#startNext();
  }

  /** Relays what `judgeMedia` kept. */
  relayKept(datagrams: readonly Buffer[]): void {
    for (const datagram of datagrams) this.#forward(datagram, this.#transportPort, this.#fromRemote);
  }

  async close(): Promise<void> {
    this.#state = 'ended';
    this.#remoteAgent.close();
    this.#transportAgent.close();
    await Promise.all([this.#remotePort?.close(), this.#transportPort?.close()]);
  }

  get #isOpen(): boolean {
    return this.#state !== 'ended';
  }

  #startNext(): void {
    const start = this.#starts.shift();
    if (start) start();
    else this.#options.onConnected();
  }

  #onRemoteDatagram(datagram: Buffer, from: Endpoint): void {
    if (looksLikeStun(datagram)) return this.#remoteAgent.receive(datagram, from);
    const verdict = this.#verdict(datagram, from);
    if (verdict === 'drop') this.#droppedOther += 1;
    if (verdict === 'relay')
      this.#relay(datagram, from, this.#remotePort, this.#transportPort, this.#fromRemote);
  }

  /** Other sources are dropped by `relay`, without a look at what they sent. */
  #verdict(datagram: Buffer, from: Endpoint): MediaVerdict {
    const { judgeMedia } = this.#options;
    if (!judgeMedia || !isSrtp(datagram) || this.#remotePort?.isRemote(from) !== true) return 'relay';
    return judgeMedia(datagram);
  }

  #onTransportDatagram(datagram: Buffer, from: Endpoint): void {
    if (looksLikeStun(datagram)) this.#transportAgent.receive(datagram, from);
    else this.#relay(datagram, from, this.#transportPort, this.#remotePort, this.#toRemote);
  }

  #relay(
    datagram: Buffer,
    from: Endpoint,
    source: IcePort | null,
    target: IcePort | null,
    counter: RelayCounter,
  ): void {
    if (source?.isRemote(from) === true) this.#forward(datagram, target, counter);
    else this.#droppedSource += 1;
  }

  #forward(datagram: Buffer, target: IcePort | null, counter: RelayCounter): void {
    if (this.#state === 'connecting' && isDtlsOrSrtp(datagram) && target?.forward(datagram) === true) {
      counter.packets += 1;
      counter.bytes += datagram.length;
    } else {
      this.#droppedOther += 1;
    }
  }

  #fail(error: IceFailure): void {
    if (!this.#isOpen) return;
    this.#stop();
    this.#options.onFailure(error);
  }

  #lose(): void {
    if (!this.#isOpen) return;
    this.#stop();
    this.#options.onLost();
  }

  /** Without consent nothing more may be sent (RFC 7675 §5.1). `close` still has to be called. */
  #stop(): void {
    this.#state = 'ended';
    this.#remoteAgent.close();
    this.#transportAgent.close();
  }
}

/** RFC 7983 §7: DTLS starts with 20 to 63, RTP and RTCP with 128 to 191. */
function isDtlsOrSrtp(datagram: Buffer): boolean {
  const first = datagram[0] ?? 0;
  return (first >= 20 && first <= 63) || isSrtp(datagram);
}

function isSrtp(datagram: Buffer): boolean {
  const first = datagram[0] ?? 0;
  return first >= 128 && first <= 191;
}

/** RFC 8842 §5.3: who offers `actpass` is answered `active`, and is then the server. */
export function remoteDtlsRole({ setup }: Pick<RemoteDescription, 'setup'>): 'client' | 'server' {
  return setup === 'active' ? 'client' : 'server';
}

function innerCandidates(transport: BridgedTransport): (Endpoint & { priority: number })[] {
  return transport.iceCandidates
    .filter(({ protocol }) => protocol === 'udp')
    .map(({ address, port, priority }) => ({ address, port, priority }));
}

function failureOf(party: string, code: number | null): IceFailure {
  return new IceFailure(
    code === null
      ? `${party} did not answer connectivity checks`
      : `${party} refused connectivity checks with ${code}`,
  );
}
