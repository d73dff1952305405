/**
 * The media of a carrier's leg: held by our own endpoint or handed over to mediasoup, and the moves between the two at any time.
 * The port, and so the SDP, never changes. Signalling is `Signalling`'s business (sip/).
 */
import { randomInt } from 'node:crypto';
import { isIP } from 'node:net';
import type { LegStats } from '@clarion/protocol/media';
import type { Logger } from 'pino';
import { HandedOver } from '../endpoint/handed-over.ts';
import { HeldEndpoint } from '../endpoint/held.ts';
import type { RelayStats } from '../endpoint/relay-stats.ts';
import { LAW_PAYLOAD_TYPE, lawOf } from '../rtp/g711.ts';
import type { RtpPacket } from '../rtp/packet.ts';
import { SourceLock } from '../rtp/source-lock.ts';
import { isNowhere, type CarrierSdp, type Direction } from '../sdp/carrier.ts';
import type { MediaWorker } from '../worker-pool.ts';
import type { AgentLeg } from './agent-leg.ts';
import { CarrierKeys } from './carrier-keys.ts';
import type { CarrierLegOptions } from './carrier-leg-options.ts';
import { carrierStats } from './carrier-stats.ts';
import { CarrierTerms, type CarrierSession } from './carrier-terms.ts';
import { FarEnd } from './far-end.ts';
import { HostName } from './host-name.ts';
import { KeyPresser, type SendInfo } from './key-presser.ts';
import { PacketLength } from './packet-length.ts';
import { Player, type PlayerFormat, type PlayerSource } from './player.ts';
import { Speaker } from './speaker.ts';

/**
 * A leg that was just answered and hears one voice may wait this long before it sends its first packet: most are handed over by then, and their
 * whole stream is mediasoup's, with one SSRC.
 */
const QUIET_START_MS = 250;
/** A far end that sends two streams by turns stays on our endpoint after so many. */
const MAX_MISJUDGEMENTS = 8;

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
  readonly #options: CarrierLegOptions;
  readonly #log: Logger;
  readonly #lock: SourceLock;
  readonly #endpoint: HeldEndpoint;
  readonly #player: Player;
  readonly #keys: CarrierKeys;
  readonly #presser: KeyPresser;
  readonly #farEnd: FarEnd;
  readonly #packets: PacketLength;
  readonly #host: HostName;
  #session: CarrierSession | null = null;
  #terms: CarrierTerms | null = null;
  #handed: { to: AgentLeg; relay: HandedOver } | null = null;
  /** Being taken back: our endpoint hears the voice from now on. */
  #leaving = false;
  #relayed: RelayStats[] = [];
  #moves = 0;
  #misjudgements = 0;
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
    this.#log = options.log.child({ callId: options.callId, legId: options.legId });
    this.#lock = new SourceLock(options.sourceCidrs);
    this.#keys = new CarrierKeys(options.onDigit);
    this.#farEnd = new FarEnd(this.speaker, this.#keys, options.onChange);
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
      kindOf: (payloadType) => this.#terms?.kindOf(payloadType) ?? null,
      onPacket: (packet, kind, nowMs) => {
        if (this.#terms) this.#farEnd.heard(packet, kind, this.#terms, this.#endpoint, nowMs);
      },
      onLocked: () => options.onChange(),
      onFailure: (error) =>
        this.#log.error({ err: error }, 'failed to process a packet from the remote party'),
    });
    this.#packets = new PacketLength({
      lawOf: (payloadType) => this.#terms?.lawOf(payloadType) ?? null,
      send: (packet) => this.#endpoint.send(packet),
    });
    this.#host = new HostName({
      boundAddress: options.bindAddress,
      newest: () => (this.#closing ? null : this.#session),
      onResolved: (session) => this.describe(session),
      log: this.#log,
    });
    this.#player = new Player({
      ticker: options.ticker,
      clips: options.clips,
      onPlayed: options.onPlayed,
      continuity: this.#endpoint.continuity,
      format: () => this.#format(),
      send: (packet) => this.#packets.send(packet),
      fillsSilence: true,
    });
    this.#presser = new KeyPresser({
      takesEvents: () => typeof this.#terms?.sending?.dtmfPayloadType === 'number',
      pressEvents: (digits) => this.#player.press(digits),
      onChange: options.onChange,
      log: this.#log,
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
    if (state !== 'CONNECTED') return;
    this.#connectedAtMs = performance.now();
    this.#farEnd.early.end();
    this.#presser.allow();
  }

  /** The description negotiated last. */
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

  /** Audio from the far end arrives before it has answered. */
  get speaksEarly(): boolean {
    return this.#farEnd.early.speaks;
  }

  /** Could be served by mediasoup: the far end's source and SSRC are known, and nothing needs our endpoint. */
  get ready(): boolean {
    const source = this.#lock.locked;
    const terms = this.#terms;
    if (!source || !terms || this.state !== 'CONNECTED') return false;
    return (
      !this.#refusesHandOver &&
      !this.#packets.isChanged &&
      !this.#presser.holdsLeg &&
      this.direction === 'sendrecv' &&
      this.#farEnd.payloadType !== null &&
      (this.#handed
        ? this.#handed.relay.serves(source, terms.laws, terms.keyPayloadTypes)
        : this.#endpoint.received.ssrc !== null) &&
      this.laws.every(({ law, payloadType }) => payloadType === LAW_PAYLOAD_TYPE[law])
    );
  }

  get laws(): CarrierSession['laws'] {
    return this.#session?.laws ?? [];
  }

  /** A description of the far end: the first one, or a later one with which it moves or holds. */
  describe(session: CarrierSession): void {
    this.#session = session;
    this.#terms = new CarrierTerms(session, this.kind === 'carrier-out');
    this.#packets.ask(this.#terms.ptimeMs);
    if (this.kind === 'carrier-out' && this.#terms.keyPayloadTypes.length > 0) this.#presser.allow();
    if (isIP(session.remote.address) === 0) void this.#host.resolve(session);
    else if (!isNowhere(session.remote.address)) this.#announce(session.remote);
    this.#options.onChange();
  }

  /** The far end's answer came from this address: it is the trunk's own. */
  answeredFrom(address: string): void {
    this.#lock.answeredFrom(address);
  }

  /** A key received in a SIP INFO. */
  pressedByInfo(digit: string): void {
    this.#keys.info(digit);
  }

  hear(sources: readonly PlayerSource[]): void {
    if (!this.#closing) this.#player.play(sources);
  }

  /** Sends keys, as telephone events or by `sendInfo`; the leg is held while they are sent. */
  press(digits: string, sendInfo: SendInfo): Promise<void> {
    return this.#presser.press(digits, sendInfo);
  }

  /** mediasoup does not take what the far end sends: our endpoint hears what it is, and the leg is handed over anew with that. */
  learnAnew(): void {
    if (!this.#handed) return;
    this.#farEnd.forget();
    this.#misjudged();
  }

  /** The leg was about to be handed over, or was, for another stream than comes. */
  #misjudged(): void {
    this.#misjudgements += 1;
    this.#refusesHandOver ||= this.#misjudgements === MAX_MISJUDGEMENTS;
    this.#options.onChange();
  }

  /**
   * Held → handed over. Throws when mediasoup refuses; the leg is then held as before and stays so.
   *
   * @param direct the agent hears this leg alone, directly too; else they go on hearing what their ear plays
   */
  async handOver(agent: AgentLeg, direct: boolean): Promise<void> {
    const source = this.#lock.locked;
    const ssrc = this.#endpoint.received.ssrc;
    const terms = this.#terms;
    const { payloadType } = this.#farEnd;
    if (!source || ssrc === null || !terms || payloadType === null || this.#handed || this.#closing) return;
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
        laws: terms.laws,
        payloadType,
        keyPayloadTypes: terms.keyPayloadTypes,
        agentTransport: agent.transport,
        microphone: agent.microphone,
        onKey: (packet) => this.#keys.event(packet),
        tapped: this.speaker.wanted,
        onVoice: this.#tapped,
      });
    } catch (error) {
      this.#refusesHandOver = !agent.closed;
      throw error;
    }
    // A key or a new description has requested another round, which finds that the leg must stay held.
    const changed = this.#lock.locked !== source || this.#terms !== terms;
    if (this.#closing || agent.closed || this.#presser.pressing || changed) {
      relay.close();
      return;
    }
    if (this.#farEnd.payloadType !== payloadType || this.#endpoint.received.ssrc !== ssrc) {
      relay.close();
      this.#misjudged();
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

  /** Rises while anything arrives from the far end: audio, comfort noise, RTCP. */
  async signsOfLife(): Promise<number> {
    return this.#endpoint.signsOfLife + ((await this.#handed?.relay.signsOfLife()) ?? 0);
  }

  async stats(): Promise<LegStats> {
    const now = this.#handed ? [await this.#handed.relay.stats().catch(() => null)] : [];
    return carrierStats({
      codec: this.laws[0]?.law ?? null,
      durationMs: Math.round(performance.now() - this.startedAtMs),
      endpoint: this.#endpoint,
      relayed: [...this.#relayed, ...now.filter((one) => one !== null)],
      ssrcChanges: this.#handed?.relay.ssrcChanges ?? 0,
      moves: this.#moves,
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#farEnd.early.end();
    this.#presser.close();
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

  #announce({ address, port, rtcpPort }: CarrierSdp): void {
    const unreachable = isIP(address) === 6 && isIP(this.#options.bindAddress) === 4;
    const usable = !unreachable && (this.#lock.isOfTrunk(address) || this.#options.maySendTo(address));
    if (!usable) {
      this.#log.info(
        { address },
        'audio is not sent to the address in the SDP: waiting for packets from the trunk',
      );
    }
    if (this.#endpoint.announce({ address, port, rtcpPort, usable })) this.#farEnd.forget();
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
    const sending = this.#terms?.sending ?? null;
    if (!sending || this.direction === 'inactive' || this.direction === 'sendonly') return null;
    // Before the answer only keys are sent, into the early media of an outbound call.
    if (this.#state !== 'CONNECTED') return this.#presser.sounding ? sending : null;
    const first = this.#endpoint.sentPackets === 0 && this.#moves === 0;
    const waits = first && this.#player.relays && !this.#refusesHandOver && !this.#packets.isChanged;
    if (waits && performance.now() - this.#connectedAtMs < QUIET_START_MS) return null;
    return sending;
  }
}
