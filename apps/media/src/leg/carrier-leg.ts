/**
 * The media of a carrier leg: on the local or the mediasoup endpoint, with a hand-over in either direction at any time.
 * The port, and therefore the SDP, never changes. The SIP signalling is in sip/.
 */
import { randomInt } from 'node:crypto';
import { isIP } from 'node:net';
import type { CarrierCodec, LegStats } from '@clarion/protocol/media';
import type { Logger } from 'pino';
import { MediasoupEndpoint } from '../endpoint/mediasoup-endpoint.ts';
import { LocalRtpEndpoint } from '../endpoint/local-rtp-endpoint.ts';
import { LAW_PAYLOAD_TYPE, lawOf } from '../rtp/g711.ts';
import type { RtpPacket } from '../rtp/packet.ts';
import { SourceLock } from '../rtp/source-lock.ts';
import { isUnspecified, type CarrierSdp, type Direction } from '../sdp/carrier.ts';
import type { MediaWorker } from '../worker-pool.ts';
import type { Agreement } from '../sip/agreement.ts';
import type { AgentLeg } from './agent-leg.ts';
import { DtmfReceiver } from './dtmf-receiver.ts';
import type { CarrierLegOptions, CarrierMoment } from './carrier-leg-options.ts';
import { carrierStats } from './carrier-stats.ts';
import type { CustomerLeg } from './customer-leg.ts';
import { NegotiatedMedia } from './negotiated-media.ts';
import { IncomingAudio } from './incoming-audio.ts';
import { MediasoupPath } from './mediasoup-path.ts';
import { SdpHostResolver } from './sdp-host-resolver.ts';
import { DtmfSender, type SendInfo } from './dtmf-sender.ts';
import { LegSrtp } from './leg-srtp.ts';
import { OutgoingAudio } from './outgoing-audio.ts';
import { Player, type PlayerFormat, type PlayerSource } from './player.ts';
import { RecentIds } from './recent-ids.ts';
import { VoiceSource } from './voice-source.ts';

/**
 * How long a newly answered leg that hears one voice may wait before its first packet. Most legs are handed over within
 * this time, so that mediasoup sends their whole stream with one SSRC.
 */
const QUIET_START_MS = 250;
/** A remote party that alternates between two streams stays on the local endpoint after this many failed hand-overs. */
const MAX_FAILED_HAND_OVERS = 8;

export class CarrierLeg implements CustomerLeg {
  readonly side = 'carrier';
  readonly kind: 'carrier-in' | 'carrier-out';
  readonly callId: number;
  readonly legId: string;
  readonly port: number;
  readonly media: MediaWorker;
  readonly startedAtMs = performance.now();
  readonly dtmfCommands = new RecentIds();
  readonly voice = new VoiceSource(() => this.#mediasoup.tap());
  #state: 'NEW' | 'RINGING' | 'CONNECTED' = 'NEW';
  #connectedAtMs = 0;
  readonly #options: CarrierLegOptions;
  readonly #log: Logger;
  readonly #lock: SourceLock;
  readonly #localEndpoint: LocalRtpEndpoint;
  readonly #player: Player;
  readonly #dtmfReceiver: DtmfReceiver;
  readonly #dtmfSender: DtmfSender;
  readonly #incoming: IncomingAudio;
  readonly #outgoing: OutgoingAudio;
  readonly #hostResolver: SdpHostResolver;
  readonly #srtp = new LegSrtp();
  #session: Agreement | null = null;
  #negotiated: NegotiatedMedia | null = null;
  readonly #mediasoup: MediasoupPath;
  #failedHandOvers = 0;
  readonly #noted = new Set<CarrierMoment>();
  #handOverDisabled: boolean;
  #closing: Promise<void> | null = null;

  constructor(options: CarrierLegOptions) {
    this.#options = options;
    this.kind = options.kind;
    this.callId = options.callId;
    this.legId = options.legId;
    this.port = options.port;
    this.media = options.media;
    this.#handOverDisabled = options.localEndpointOnly;
    this.#log = options.log.child({ callId: options.callId, legId: options.legId });
    this.#lock = new SourceLock(options.sourceCidrs);
    this.#dtmfReceiver = new DtmfReceiver(options.onDigit);
    this.#incoming = new IncomingAudio(this.voice, this.#dtmfReceiver, options.onChange);
    this.#localEndpoint = new LocalRtpEndpoint({
      bindAddress: options.bindAddress,
      port: options.port,
      lock: this.#lock,
      srtp: this.#srtp,
      cname: options.legId,
      start: { ...newStream(), timestamp: randomInt(0, 0x7fffffff) },
      kindOf: (payloadType) => this.#negotiated?.kindOf(payloadType) ?? null,
      onPacket: (packet, kind, nowMs) => {
        this.#noteFirst('first-packet-received');
        if (this.#negotiated)
          this.#incoming.receive(packet, kind, this.#negotiated, this.#localEndpoint, nowMs);
      },
      onLocked: () => options.onChange(),
      onFailure: (error) =>
        this.#log.error({ err: error }, 'failed to process a packet from the remote party'),
    });
    this.#outgoing = new OutgoingAudio((packet) => {
      this.#noteFirst('first-packet-sent');
      this.#localEndpoint.send(packet);
    });
    this.#hostResolver = new SdpHostResolver({
      boundAddress: options.bindAddress,
      newest: () => (this.#closing ? null : this.#session),
      onResolved: (session) => this.applyDescription(session),
      log: this.#log,
    });
    this.#player = new Player({
      ticker: options.ticker,
      clips: options.clips,
      onPlayed: options.onPlayed,
      sequencer: this.#localEndpoint.sequencer,
      format: () => this.#format(),
      send: (packet) => this.#outgoing.send(packet),
      sendsSilence: true,
    });
    this.#mediasoup = new MediasoupPath({
      localEndpoint: this.#localEndpoint,
      player: this.#player,
      voice: this.voice,
    });
    this.#dtmfSender = new DtmfSender({
      supportsEvents: () => typeof this.#negotiated?.sending?.dtmfPayloadType === 'number',
      sendEvents: (digits) => this.#player.sendDigits(digits),
      onChange: options.onChange,
      log: this.#log,
    });
  }

  open(): Promise<void> {
    return this.#localEndpoint.open();
  }

  get state(): 'NEW' | 'RINGING' | 'CONNECTED' {
    return this.#state;
  }

  set state(state: 'NEW' | 'RINGING' | 'CONNECTED') {
    this.#state = state;
    if (state !== 'CONNECTED') return;
    this.#connectedAtMs = performance.now();
    this.#incoming.early.end();
    this.#dtmfSender.allow();
  }

  /** The session description negotiated last. */
  get session(): Agreement | null {
    return this.#session;
  }

  get direction(): Direction {
    return this.#session?.remote.direction ?? 'sendrecv';
  }

  get handedOverTo(): AgentLeg | null {
    return this.#mediasoup.agent;
  }

  get mediasoupEndpoint(): MediasoupEndpoint | null {
    return this.#mediasoup.endpoint;
  }

  /** Whether audio from the remote party arrives before it has answered. */
  get hasEarlyMedia(): boolean {
    return this.#incoming.early.active;
  }

  /**
   * Whether mediasoup could serve the leg: the remote party's source and SSRC are known, and nothing needs the local
   * endpoint.
   */
  get ready(): boolean {
    const source = this.#lock.locked;
    const negotiated = this.#negotiated;
    const { endpoint } = this.#mediasoup;
    if (!source || !negotiated || this.state !== 'CONNECTED') return false;
    return (
      !this.#staysLocal &&
      !this.#outgoing.isRepacketizing &&
      !this.#dtmfSender.needsLocalEndpoint &&
      this.direction === 'sendrecv' &&
      this.#incoming.payloadType !== null &&
      (endpoint
        ? endpoint.matches(source, lawsOf(negotiated), negotiated.dtmfPayloadTypes)
        : this.#localEndpoint.received.ssrc !== null) &&
      this.laws.every(({ law, payloadType }) => payloadType === LAW_PAYLOAD_TYPE[law])
    );
  }

  /** mediasoup knows neither the rollover counters of SRTP nor G.722. */
  get #staysLocal(): boolean {
    return this.#handOverDisabled || this.#srtp.active || (this.#negotiated?.receivesG722 ?? false);
  }

  get codec(): CarrierCodec | null {
    return this.#negotiated?.codec ?? null;
  }

  get laws(): NegotiatedMedia['laws'] {
    return this.#negotiated?.laws ?? [];
  }

  /**
   * Applies a session description of the remote party: the first one, or a later one that moves the audio or puts the
   * call on hold.
   */
  applyDescription(session: Agreement): void {
    this.#session = session;
    if (this.#srtp.apply(session.keys)) this.#restartStream();
    // Until the leg is taken back, mediasoup would pass on the encrypted audio as it is.
    if (session.keys) this.#mediasoup.endpoint?.stopTowardsAgent().catch(() => undefined);
    this.#negotiated = new NegotiatedMedia(session, this.kind === 'carrier-out');
    this.#outgoing.apply(this.#negotiated);
    if (this.kind === 'carrier-out' && this.#negotiated.dtmfPayloadTypes.length > 0) this.#dtmfSender.allow();
    if (isIP(session.remote.address) === 0) void this.#hostResolver.resolve(session);
    else if (!isUnspecified(session.remote.address)) this.#announce(session.remote);
    this.#options.onChange();
  }

  /** Adds the source address of the SDP answer to the trunk's addresses. */
  answeredFrom(address: string): void {
    this.#lock.answeredFrom(address);
  }

  /** Handles a DTMF digit received in a SIP INFO. */
  receiveInfoDigit(digit: string): void {
    this.#dtmfReceiver.receiveInfo(digit);
  }

  hear(sources: readonly PlayerSource[]): void {
    if (!this.#closing) this.#player.play(sources);
  }

  /** Sends DTMF as telephone events or with `sendInfo`. The leg stays on the local endpoint meanwhile. */
  sendDigits(digits: string, sendInfo: SendInfo): Promise<void> {
    return this.#dtmfSender.sendDigits(digits, sendInfo);
  }

  /**
   * Takes the leg back because mediasoup drops what the remote party sends. The local endpoint learns the stream, and
   * the leg is handed over again.
   */
  relearnStream(): void {
    if (!this.#mediasoup.endpoint) return;
    this.#incoming.reset();
    this.#handOverFailed();
  }

  /** A hand-over was prepared, or made, for a different stream from the one that arrives. */
  #handOverFailed(): void {
    this.#failedHandOvers += 1;
    this.#handOverDisabled ||= this.#failedHandOvers === MAX_FAILED_HAND_OVERS;
    this.#options.onChange();
  }

  /**
   * Hands the leg over to mediasoup. Throws if that fails; the leg then stays on the local endpoint.
   *
   * @param direct whether the agent hears only this leg, and therefore directly; otherwise the agent keeps hearing the
   * player
   */
  async handOver(agent: AgentLeg, direct: boolean): Promise<void> {
    const source = this.#lock.locked;
    const ssrc = this.#localEndpoint.received.ssrc;
    const negotiated = this.#negotiated;
    const { payloadType } = this.#incoming;
    if (!source || ssrc === null || !negotiated || payloadType === null || this.#mediasoup.endpoint) return;
    if (this.#closing) return;
    let endpoint: MediasoupEndpoint;
    try {
      await this.#localEndpoint.pin();
      endpoint = await MediasoupEndpoint.prepare({
        media: this.media,
        bindAddress: this.#options.bindAddress,
        port: this.port,
        source,
        rtcpPort: this.#localEndpoint.rtcpPort ?? source.port + 1,
        ssrc,
        laws: lawsOf(negotiated),
        payloadType,
        dtmfPayloadTypes: negotiated.dtmfPayloadTypes,
        agentTransport: agent.transport,
        microphone: agent.microphone,
        onDtmfPacket: (packet) => this.#dtmfReceiver.receiveEvent(packet),
        tapped: this.voice.hasListeners,
        onVoice: this.#tapped,
        onSsrcChanged: () => this.#options.onMoment('ssrc-changed'),
      });
    } catch (error) {
      this.#handOverDisabled = !agent.closed;
      throw error;
    }
    // A digit or a new session description has already scheduled another update, which keeps the leg on the local
    // endpoint.
    const changed = this.#lock.locked !== source || this.#negotiated !== negotiated;
    if (this.#closing || agent.closed || this.#dtmfSender.isSending || changed) {
      endpoint.close();
      return;
    }
    if (this.#incoming.payloadType !== payloadType || this.#localEndpoint.received.ssrc !== ssrc) {
      endpoint.close();
      this.#handOverFailed();
      return;
    }
    try {
      await this.#mediasoup.handOver(agent, endpoint, direct);
      const isFirst = !this.#noted.has('first-packet-sent');
      this.#options.onMoment('handed-over', { isFirst });
    } catch (error) {
      this.#handOverDisabled = !agent.closed;
      if (!this.#closing) await this.#localEndpoint.open();
      throw error;
    }
  }

  /** While handed over: lets the agent hear this leg directly (null), or these sources from the player. */
  async setAgentSources(sources: readonly PlayerSource[] | null): Promise<void> {
    if (!this.#closing) await this.#mediasoup.setAgentSources(sources);
  }

  /**
   * Takes the leg back to the local endpoint. `sources` is what this leg hears from then on, `agentSources` what the
   * agent hears.
   */
  async takeBack(sources: readonly PlayerSource[], agentSources: readonly PlayerSource[]): Promise<void> {
    if (this.#closing) return;
    const endpoint = await this.#mediasoup.takeBack(agentSources);
    if (!endpoint) return;
    this.#options.onMoment('taken-back');
    if (!this.#closing) this.#player.play(sources);
    await this.#mediasoup.retire(endpoint);
  }

  /** Increases while anything arrives from the remote party: audio, comfort noise, RTCP. */
  async activityCount(): Promise<number> {
    return this.#localEndpoint.activityCount + (await this.#mediasoup.activityCount());
  }

  async stats(): Promise<LegStats> {
    const mediasoup = await this.#mediasoup.stats();
    return carrierStats({
      codec: this.codec,
      durationMs: Math.round(performance.now() - this.startedAtMs),
      endpoint: this.#localEndpoint,
      mediasoup,
      ssrcChanges: this.#mediasoup.endpoint?.ssrcChanges ?? 0,
      moves: this.#mediasoup.moves,
      droppedUnauthentic: this.#srtp.rejected,
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#incoming.early.end();
    this.#dtmfSender.close();
    this.#player.close();
    this.#mediasoup.close();
    await this.#localEndpoint.close({ goodbye: true });
  }

  #noteFirst(moment: CarrierMoment): void {
    if (this.#noted.has(moment)) return;
    this.#noted.add(moment);
    this.#options.onMoment(moment);
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
    if (this.#localEndpoint.announce({ address, port, rtcpPort, usable })) this.#incoming.reset();
  }

  /** Continues with a new SSRC, whose packet indexes start from zero. */
  #restartStream(): void {
    const { sequencer } = this.#localEndpoint;
    sequencer.continueFrom({ ...newStream(), timestamp: sequencer.position.timestamp }, performance.now());
  }

  #tapped = (packet: RtpPacket, ssrc: number, via: object): void => {
    const law = lawOf(packet.payloadType);
    if (law && this.voice.hasListeners) this.voice.push(packet, law, ssrc, via, performance.now());
  };

  #format(): PlayerFormat | null {
    const sending = this.#negotiated?.sending ?? null;
    if (!sending || this.direction === 'inactive' || this.direction === 'sendonly') return null;
    // Before the answer only DTMF is sent, into the early media of an outbound call.
    if (this.#state !== 'CONNECTED') return this.#dtmfSender.sendingEvents ? sending : null;
    const first = this.#localEndpoint.sentPackets === 0 && this.#mediasoup.moves === 0;
    const waits = first && this.#player.isRelaying && !this.#staysLocal && !this.#outgoing.isRepacketizing;
    if (waits && performance.now() - this.#connectedAtMs < QUIET_START_MS) return null;
    return sending;
  }
}

/** Small enough that the first packets do not wrap around: an SRTP receiver assumes that the counter starts with 0. */
const newStream = () => ({ ssrc: randomInt(1, 0x7fffffff), sequenceNumber: randomInt(0, 0x7fff) });

const lawsOf = ({ laws }: NegotiatedMedia) => laws.map(({ law }) => law);
