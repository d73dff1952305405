/**
 * The media of a carrier's leg: held by our own endpoint or handed over to mediasoup, and the moves between the two at any time.
 * The port, and so the SDP, never changes. Signalling is `Signalling`'s business (sip/).
 */
import { randomInt } from 'node:crypto';
import type { LegStats } from '@clarion/protocol/media';
import type { Logger } from 'pino';
import { HandedOver, type RelayStats } from '../endpoint/handed-over.ts';
import { HeldEndpoint } from '../endpoint/held.ts';
import type { Clips } from '../mix/clips.ts';
import { DtmfReader } from '../rtp/dtmf.ts';
import { LAW_PAYLOAD_TYPE, lawOf, type Law } from '../rtp/g711.ts';
import type { RtpPacket } from '../rtp/packet.ts';
import { SourceLock } from '../rtp/source-lock.ts';
import type { Ticker } from '../rtp/ticker.ts';
import type { CarrierSdp, Direction } from '../sdp/carrier.ts';
import { isNowhere } from '../sdp/carrier.ts';
import type { MediaWorker } from '../worker-pool.ts';
import type { AgentLeg } from './agent-leg.ts';
import { Player, type PlayerFormat, type PlayerSource } from './player.ts';
import { Speaker } from './speaker.ts';

/**
 * A leg that was just answered and hears one voice may wait this long before it sends its first packet: most are handed over by then, and their
 * whole stream is mediasoup's, with one SSRC.
 */
const QUIET_START_MS = 250;
/** A leg stays held this long after a key: the next one follows soon, and each move would begin a new SSRC. */
const KEY_LINGER_MS = 2_000;

export interface CarrierLegOptions {
  kind: 'carrier-in' | 'carrier-out';
  callId: number;
  legId: string;
  media: MediaWorker;
  ticker: Ticker;
  bindAddress: string;
  port: number;
  sourceCidrs: readonly string[];
  /** The carrier cannot bear mediasoup's packets: never handed over. */
  ownEndpoint: boolean;
  log: Logger;
  clips: Clips;
  /** Fact `leg:played`. */
  onPlayed: (playId: string, played: boolean) => void;
  onDigit: (digit: string) => void;
  /** Something that decides held or handed over has changed. */
  onChange: () => void;
}

/** What both sides agreed on. */
export interface CarrierSession {
  remote: CarrierSdp;
  /** The first is the one we send. */
  laws: readonly { law: Law; payloadType: number }[];
}

export class CarrierLeg {
  readonly side = 'carrier';
  readonly kind: 'carrier-in' | 'carrier-out';
  readonly callId: number;
  readonly legId: string;
  readonly port: number;
  readonly media: MediaWorker;
  readonly startedAtMs = performance.now();
  readonly speaker = new Speaker(() => this.#tap());
  #state: 'NEW' | 'RINGING' | 'CONNECTED' = 'NEW';
  #connectedAtMs = 0;
  #lingering: NodeJS.Timeout | null = null;
  readonly #options: CarrierLegOptions;
  readonly #lock: SourceLock;
  readonly #endpoint: HeldEndpoint;
  readonly #player: Player;
  readonly #digits = new DtmfReader();
  #session: CarrierSession | null = null;
  /** Of the session, made once: both are looked at for every packet. */
  readonly #lawOf = new Map<number, Law>();
  #sending: PlayerFormat | null = null;
  #handed: { to: AgentLeg; relay: HandedOver } | null = null;
  /** Being taken back: our endpoint hears the voice from now on. */
  #leaving = false;
  #relayed: RelayStats[] = [];
  #moves = 0;
  #pressing = 0;
  /** Of the voice packet that came last. */
  #heardPayloadType = 0;
  #refusesHandOver: boolean;
  #closing: Promise<void> | null = null;

  constructor(options: CarrierLegOptions) {
    this.#options = options;
    this.kind = options.kind;
    this.callId = options.callId;
    this.legId = options.legId;
    this.port = options.port;
    this.media = options.media;
    this.#refusesHandOver = options.ownEndpoint;
    this.#lock = new SourceLock(options.sourceCidrs, null);
    this.#endpoint = new HeldEndpoint({
      bindAddress: options.bindAddress,
      port: options.port,
      lock: this.#lock,
      cname: options.legId,
      start: {
        ssrc: randomInt(1, 0x7fffffff),
        sequenceNumber: randomInt(0, 0x7fff),
        timestamp: randomInt(0, 0x7fffffff),
      },
      accepts: (payloadType) => this.#negotiated(payloadType),
      onPacket: (packet, nowMs) => this.#heard(packet, nowMs),
      onLocked: () => options.onChange(),
    });
    this.#player = new Player({
      ticker: options.ticker,
      clips: options.clips,
      onPlayed: options.onPlayed,
      continuity: this.#endpoint.continuity,
      format: () => this.#format(),
      send: (packet) => this.#endpoint.send(packet),
      fillsSilence: true,
    });
  }

  open(): Promise<void> {
    return this.#endpoint.open();
  }

  get state(): 'NEW' | 'RINGING' | 'CONNECTED' {
    return this.#state;
  }

  set state(state: 'NEW' | 'RINGING' | 'CONNECTED') {
    this.#state = state;
    if (state === 'CONNECTED') this.#connectedAtMs = performance.now();
  }

  get session(): CarrierSession | null {
    return this.#session;
  }

  get direction(): Direction {
    return this.#session?.remote.direction ?? 'sendrecv';
  }

  get handedTo(): AgentLeg | null {
    return this.#handed?.to ?? null;
  }

  get relay(): HandedOver | null {
    return this.#handed?.relay ?? null;
  }

  /** Voice has come from the far end. */
  get heard(): boolean {
    return this.#endpoint.received.packets > 0;
  }

  /** Could be served by mediasoup: the far end's source and SSRC are known, and nothing needs our endpoint. */
  get ready(): boolean {
    return (
      this.state === 'CONNECTED' &&
      !this.#refusesHandOver &&
      this.#pressing === 0 &&
      this.#lingering === null &&
      this.direction === 'sendrecv' &&
      this.#lock.locked !== null &&
      (this.#handed !== null || this.#endpoint.received.ssrc !== null) &&
      this.laws.every(({ law, payloadType }) => payloadType === LAW_PAYLOAD_TYPE[law])
    );
  }

  get laws(): CarrierSession['laws'] {
    return this.#session?.laws ?? [];
  }

  /** A description of the far end: the first one, or a later one with which it moves or holds. */
  describe(session: CarrierSession): void {
    const before = this.#session?.remote;
    this.#session = session;
    this.#agree(session);
    const { address, port, rtcpPort } = session.remote;
    if (!isNowhere(address) && (before?.address !== address || before.port !== port)) {
      this.#endpoint.relearn({ address, port, rtcpPort });
    }
    this.#options.onChange();
  }

  /** Where the description differs from this one in where audio comes from, a handed-over leg must be taken back first. */
  moves(remote: CarrierSdp): boolean {
    const before = this.#session?.remote;
    return (
      !before ||
      before.address !== remote.address ||
      before.port !== remote.port ||
      remote.direction !== before.direction
    );
  }

  hear(sources: readonly PlayerSource[]): void {
    if (!this.#closing) this.#player.play(sources);
  }

  /** Sends keys; while they sound the leg is held, because only our own endpoint can number them into the stream. */
  async press(digits: string): Promise<void> {
    this.#pressing += 1;
    this.#options.onChange();
    try {
      await this.#player.press(digits);
    } finally {
      if (this.#lingering) clearTimeout(this.#lingering);
      this.#lingering = this.#closing ? null : setTimeout(() => this.#lingered(), KEY_LINGER_MS);
      this.#pressing -= 1;
    }
  }

  /**
   * Held → handed over. Throws when mediasoup refuses; the leg is then held as before and stays so.
   *
   * @param direct the agent hears this leg alone, directly too; else they go on hearing what their ear plays
   */
  async handOver(agent: AgentLeg, direct: boolean): Promise<void> {
    const source = this.#lock.locked;
    const ssrc = this.#endpoint.received.ssrc;
    if (!source || ssrc === null || this.#handed || this.#closing) return;
    let relay: HandedOver;
    try {
      await this.#endpoint.pin();
      relay = await HandedOver.prepare({
        media: this.media,
        bindAddress: this.#options.bindAddress,
        port: this.port,
        source,
        rtcpPort: this.#endpoint.rtcpPort ?? source.port + 1,
        ssrc,
        laws: this.laws.map(({ law }) => law),
        payloadType: this.#heardPayloadType,
        dtmfPayloadType: this.#session?.remote.dtmfPayloadType ?? null,
        agentTransport: agent.transport,
        microphone: agent.microphone,
        onDigit: this.#options.onDigit,
        tapped: this.speaker.wanted,
        onVoice: this.#tapped,
      });
    } catch (error) {
      this.#refusesHandOver = !agent.closed;
      throw error;
    }
    // A key pressed meanwhile has asked for another round, which finds that the leg must stay held.
    if (this.#closing || agent.closed || this.#pressing > 0) {
      relay.close();
      return;
    }
    this.#handed = { to: agent, relay };
    this.#moves += 1;
    // Listeners may have come or gone meanwhile.
    this.#tap();
    try {
      if (direct) await relay.startTowardsAgent();
      this.#player.stop();
      await relay.startTowardsCarrier();
      await this.#endpoint.close();
      if (direct) agent.closeEar();
    } catch (error) {
      this.#refusesHandOver = !agent.closed;
      this.#handed = null;
      relay.close();
      if (!this.#closing) await this.#endpoint.open();
      throw error;
    }
  }

  /** Handed over: from now on the agent hears this leg alone and directly (null), or these sources through their ear. */
  async letAgentHear(sources: readonly PlayerSource[] | null): Promise<void> {
    const handed = this.#handed;
    if (!handed || this.#closing) return;
    if (sources === null) {
      await handed.relay.startTowardsAgent();
      handed.to.closeEar();
      return;
    }
    await handed.to.openEar();
    await handed.relay.stopTowardsAgent();
    handed.to.play(sources);
  }

  /** Handed over → held; `sources` are what this leg hears, `agentSources` what the agent hears from then on. */
  async takeBack(sources: readonly PlayerSource[], agentSources: readonly PlayerSource[]): Promise<void> {
    const handed = this.#handed;
    if (!handed || this.#closing) return;
    this.#leaving = true;
    try {
      await handed.to.openEar();
      // From the first packet that is ours the agent hears it through the ear, and not one before.
      await this.#endpoint.open(() => handed.to.play(agentSources));
    } finally {
      this.#leaving = false;
    }
    const last = await handed.relay.stopTowardsCarrier().catch(() => null);
    if (last) this.#endpoint.continuity.adopt(last.position, last.atMs);
    this.#handed = null;
    this.#moves += 1;
    if (!this.#closing) this.#player.play(sources);
    await this.#retire(handed.relay);
  }

  /** What `stats` tells of it, for less. */
  async receivedPackets(): Promise<number> {
    const relayed = this.#relayed.reduce((total, one) => total + one.receivedPackets, 0);
    const now = this.#handed ? await this.#handed.relay.receivedPackets() : 0;
    return this.#endpoint.received.packets + relayed + now;
  }

  async stats(): Promise<LegStats> {
    const now = this.#handed ? [await this.#handed.relay.stats().catch(() => null)] : [];
    const relayed = [...this.#relayed, ...now.filter((one) => one !== null)];
    const sum = (field: Exclude<keyof RelayStats, 'roundTripMs' | 'remoteLoss'>) =>
      relayed.reduce((total, one) => total + one[field], 0);
    const { received } = this.#endpoint;
    return {
      codec: this.laws[0]?.law ?? null,
      durationMs: Math.round(performance.now() - this.startedAtMs),
      receivedPackets: received.packets + sum('receivedPackets'),
      receivedBytes: received.bytes + sum('receivedBytes'),
      lostPackets: received.lost + sum('lost'),
      jitterMs: Math.round(Math.max(received.jitterMs, ...relayed.map((one) => one.jitter / 8))),
      sentPackets: this.#endpoint.sentPackets + sum('sentPackets'),
      sentBytes: this.#endpoint.sentBytes + sum('sentBytes'),
      heldPackets: received.packets,
      handedOverPackets: sum('receivedPackets'),
      roundTripMs: relayed.at(-1)?.roundTripMs ?? this.#endpoint.roundTripMs,
      remoteLossPercent: percent(relayed.at(-1)?.remoteLoss ?? this.#endpoint.remoteLoss),
      ssrcChanges: received.ssrcChanges + (this.#handed?.relay.ssrcChanges ?? 0),
      moves: this.#moves,
      droppedSource: this.#endpoint.droppedSource,
      droppedPayloadType: this.#endpoint.droppedPayloadType,
    };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  #lingered(): void {
    this.#lingering = null;
    this.#options.onChange();
  }

  async #close(): Promise<void> {
    if (this.#lingering) clearTimeout(this.#lingering);
    this.#lingering = null;
    this.#player.stop();
    this.#handed?.relay.close();
    this.#handed = null;
    await this.#endpoint.close({ goodbye: true });
  }

  async #retire(relay: HandedOver): Promise<void> {
    const stats = await relay.stats().catch(() => null);
    if (stats) this.#relayed.push(stats);
    relay.close();
  }

  #agree({ laws, remote }: CarrierSession): void {
    this.#lawOf.clear();
    for (const { law, payloadType } of laws) this.#lawOf.set(payloadType, law);
    const [first] = laws;
    const passing = Object.fromEntries(laws.map(({ law, payloadType }) => [law, payloadType]));
    this.#sending = first
      ? {
          ...first,
          dtmfPayloadType: remote.dtmfPayloadType,
          passes: { PCMU: null, PCMA: null, ...passing },
        }
      : null;
  }

  #negotiated(payloadType: number): boolean {
    return this.#lawOf.has(payloadType) || payloadType === this.#sending?.dtmfPayloadType;
  }

  #heard(packet: RtpPacket, nowMs: number): void {
    if (packet.payloadType === this.#session?.remote.dtmfPayloadType) {
      const digit = this.#digits.read(packet.timestamp, packet.payload);
      if (digit) this.#options.onDigit(digit);
      return;
    }
    this.#heardPayloadType = packet.payloadType;
    const law = this.#lawOf.get(packet.payloadType);
    if (law && this.speaker.wanted) this.speaker.speak(packet, law, packet.ssrc, this.#endpoint, nowMs);
  }

  #tap(): void {
    // A relay that closes meanwhile has no listeners to lose.
    if (this.#handed && !this.#leaving) this.#handed.relay.tap(this.speaker.wanted).catch(() => undefined);
  }

  #tapped = (packet: RtpPacket, ssrc: number, via: object): void => {
    const law = lawOf(packet.payloadType);
    if (law && this.speaker.wanted) this.speaker.speak(packet, law, ssrc, via, performance.now());
  };

  #format(): PlayerFormat | null {
    if (!this.#sending || this.#state !== 'CONNECTED') return null;
    if (this.direction === 'inactive' || this.direction === 'sendonly') return null;
    const first = this.#endpoint.sentPackets === 0 && this.#moves === 0;
    const waits = first && this.#player.relays && !this.#refusesHandOver;
    if (waits && performance.now() - this.#connectedAtMs < QUIET_START_MS) return null;
    return this.#sending;
  }
}

const percent = (share: number | null) => (share === null ? null : Math.round(share * 1_000) / 10);
