/**
 * The local RTP endpoint of a carrier leg (docs/decisions/media-hand-over.md). It uses symmetric RTP: it learns the
 * source of the remote party's packets (allowed addresses only), locks onto it, and sends to it. It shares its port
 * with the mediasoup transport that serves the leg after a hand-over. All sockets on the port have SO_REUSEADDR, and
 * ours is connected to the locked source, so the kernel delivers the packets to us while our socket is open and to
 * mediasoup as soon as it is closed. No packet is lost in between.
 */
import type { Socket } from 'node:dgram';
import { RtpSequencer } from '../rtp/sequencer.ts';
import { buildRtp, parseRtp, type RtpPacket } from '../rtp/packet.ts';
import { buildGoodbye, buildSenderReport, remoteReport, RTCP_INTERVAL_MS } from '../rtp/rtcp.ts';
import { plainAddress } from '../rtp/cidr.ts';
import type { Source, SourceLock } from '../rtp/source-lock.ts';
import { ReceiveStats } from '../rtp/receive-stats.ts';
import { closeUdpSocket, openUdpSocket } from '../rtp/udp-socket.ts';

/** comfort-noise: RFC 3389, sent instead of silence. dtmf: a telephone event (RFC 4733). */
export type PacketKind = 'voice' | 'dtmf' | 'comfort-noise';

/** The remote party's address according to its SDP. */
export interface Announced extends Source {
  /** 0: there is no port for RTCP reports. */
  rtcpPort: number;
  /** False: audio must not be sent to the announced address, only back to the learned source. */
  usable: boolean;
}

/** Encrypts and decrypts datagrams if the session is encrypted; null: drop it. */
export interface DatagramProtection {
  protectRtp: (datagram: Buffer) => Buffer | null;
  protectRtcp: (datagram: Buffer) => Buffer | null;
  unprotectRtp: (datagram: Buffer) => Buffer | null;
  unprotectRtcp: (datagram: Buffer) => Buffer | null;
}

export interface LocalRtpEndpointOptions {
  bindAddress: string;
  /** The even RTP port; RTCP uses the next one. */
  port: number;
  lock: SourceLock;
  srtp: DatagramProtection;
  cname: string;
  start: { ssrc: number; sequenceNumber: number; timestamp: number };
  /** What a payload type means on this leg; null: not negotiated, and dropped. */
  kindOf: (payloadType: number) => PacketKind | null;
  onPacket: (packet: RtpPacket, kind: PacketKind, nowMs: number) => void;
  /** Called when the source has been learned. */
  onLocked: () => void;
  /** Called for the first packet that our code failed to handle; later failures are only counted. */
  onFailure: (error: unknown) => void;
}

export class LocalRtpEndpoint {
  readonly received = new ReceiveStats();
  readonly sequencer: RtpSequencer;
  sentPackets = 0;
  sentBytes = 0;
  droppedSource = 0;
  droppedPayloadType = 0;
  failedPackets = 0;
  /** 0 to 1, from the remote party's last report. */
  remoteLoss: number | null = null;
  roundTripMs: number | null = null;
  readonly #options: LocalRtpEndpointOptions;
  #rtp: Socket | null = null;
  #rtcp: Socket | null = null;
  #connected = false;
  #reports: NodeJS.Timeout | null = null;
  /** Where we send until the source of the remote party's packets is known. */
  #announced: Announced | null = null;
  #activityCount = 0;

  constructor(options: LocalRtpEndpointOptions) {
    this.#options = options;
    this.sequencer = new RtpSequencer(options.start);
  }

  get isOpen(): boolean {
    return this.#rtp !== null;
  }

  get rtcpPort(): number | null {
    return this.#announced?.rtcpPort ?? null;
  }

  /** Increases with every negotiated RTP packet and every RTCP packet from the remote party. */
  get activityCount(): number {
    return this.#activityCount;
  }

  /**
   * Opens the sockets, connected to the locked source if there is one.
   *
   * @param onReceiving called immediately before the first packet can arrive
   */
  async open(onReceiving?: () => void): Promise<void> {
    if (this.#rtp) return;
    this.received.resume();
    const { bindAddress, port } = this.#options;
    const shared = { address: bindAddress, reuseAddr: true };
    this.#rtp = await openUdpSocket({
      ...shared,
      port,
      onDatagram: (datagram, from) => this.#guard(() => this.#onRtp(datagram, from)),
    });
    onReceiving?.();
    try {
      this.#rtcp = await openUdpSocket({
        ...shared,
        port: port + 1,
        onDatagram: (datagram, from) => this.#guard(() => this.#onRtcp(datagram, from)),
      });
    } catch (error) {
      await this.close();
      throw error;
    }
    await this.pin();
    this.#reports = setInterval(() => this.#report(), RTCP_INTERVAL_MS);
  }

  /** Connects the RTP socket to the locked source; from then on the kernel prefers it on this port. */
  async pin(): Promise<void> {
    const source = this.#options.lock.locked;
    const socket = this.#rtp;
    if (!socket || !source || this.#connected) return;
    this.#connected = true;
    await new Promise<void>((resolve) => {
      socket.connect(source.port, source.address, (error?: Error) => {
        // Without a route at the moment, the destination is passed with each packet.
        if (error && this.#rtp === socket) this.#connected = false;
        resolve();
      });
    });
  }

  /** Applies the remote party's SDP. @returns whether it announces a new source, which must be learned again */
  announce(announced: Announced): boolean {
    this.#announced = announced;
    if (!this.#options.lock.announce(announced, announced.usable, performance.now())) return false;
    this.received.reset();
    if (this.#connected) this.#rtp?.disconnect();
    this.#connected = false;
    return true;
  }

  get #destination(): Source | null {
    return this.#options.lock.locked ?? (this.#announced?.usable === true ? this.#announced : null);
  }

  send(packet: RtpPacket): void {
    const socket = this.#rtp;
    if (!socket) return;
    const destination = this.#destination;
    if (!this.#connected && (!destination || destination.port === 0)) return;
    const datagram = this.#options.srtp.protectRtp(buildRtp(packet));
    if (!datagram) return;
    if (this.#connected) {
      // An unreachable remote party is detected by the watchdog, so errors of single packets are ignored.
      socket.send(datagram);
    } else if (destination) {
      socket.send(datagram, destination.port, destination.address);
    }
    this.sentPackets += 1;
    this.sentBytes += packet.payload.length;
  }

  /** Closes the sockets; the port then belongs to the other endpoint that is bound to it. */
  async close(options: { goodbye?: boolean } = {}): Promise<void> {
    if (this.#reports) clearInterval(this.#reports);
    this.#reports = null;
    if (options.goodbye && this.sentPackets > 0) this.#sendRtcp(buildGoodbye(this.sequencer.position.ssrc));
    const sockets = [this.#rtp, this.#rtcp];
    this.#rtp = null;
    this.#rtcp = null;
    this.#connected = false;
    await Promise.all(sockets.map((socket) => socket && closeUdpSocket(socket)));
  }

  #onRtp(datagram: Buffer, from: Source): void {
    const { lock, srtp, kindOf, onPacket, onLocked } = this.#options;
    const wasLocked = lock.locked !== null;
    // Before the source is learned: only an authentic packet may choose it.
    const plain = srtp.unprotectRtp(datagram);
    const packet = plain && parseRtp(plain);
    if (!packet) return;
    const kind = kindOf(packet.payloadType);
    if (kind === null) {
      this.droppedPayloadType += 1;
      return;
    }
    const nowMs = performance.now();
    if (!lock.accepts(from.address, from.port, nowMs)) {
      this.droppedSource += 1;
      return;
    }
    this.#activityCount += 1;
    // DTMF may have its own SSRC.
    if (kind !== 'dtmf' || packet.ssrc === this.received.ssrc) this.received.received(packet, nowMs);
    onPacket(packet, kind, nowMs);
    if (!wasLocked && lock.locked !== null) void this.pin().then(onLocked);
  }

  #onRtcp(datagram: Buffer, from: Source): void {
    if (plainAddress(from.address) !== this.#destination?.address) return;
    const plain = this.#options.srtp.unprotectRtcp(datagram);
    if (!plain) return;
    this.#activityCount += 1;
    const report = remoteReport(plain, this.sequencer.position.ssrc, Date.now());
    if (!report) return;
    this.remoteLoss = report.fractionLost;
    this.roundTripMs = report.roundTripMs ?? this.roundTripMs;
  }

  #report(): void {
    if (this.sentPackets === 0) return;
    const { ssrc, timestamp } = this.sequencer.position;
    const heard = this.received.ssrc;
    this.#sendRtcp(
      buildSenderReport({
        ssrc,
        timestamp,
        unixMs: Date.now(),
        packets: this.sentPackets,
        bytes: this.sentBytes,
        cname: this.#options.cname,
        report:
          heard === null
            ? null
            : {
                ssrc: heard,
                lost: this.received.lost,
                highestSequence: this.received.highestSequence,
                jitter: this.received.jitter,
              },
      }),
    );
  }

  /** An exception in a datagram handler is uncaught: it would terminate the process and every call on it. */
  #guard(handle: () => void): void {
    try {
      handle();
    } catch (error) {
      this.failedPackets += 1;
      if (this.failedPackets === 1) this.#options.onFailure(error);
    }
  }

  #sendRtcp(datagram: Buffer): void {
    const to = this.#destination;
    const port = this.rtcpPort ?? 0;
    if (!to || port === 0) return;
    const sent = this.#options.srtp.protectRtcp(datagram);
    if (sent) this.#rtcp?.send(sent, port, to.address, () => undefined);
  }
}
