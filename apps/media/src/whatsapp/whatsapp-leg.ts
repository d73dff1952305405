/**
 * The leg of a customer who speaks over WhatsApp. Towards Meta it is ICE, DTLS and Opus; towards everything else it is a
 * customer's leg with G.711 at 8 kHz (docs/decisions/whatsapp-media.md). Realtime exchanges the descriptions with Meta.
 * Nothing is sent to the customer before `open`, because Meta treats audio before the call is accepted as an error.
 */
import { randomInt } from 'node:crypto';
import type { LegEnd, LegStats } from '@clarion/protocol/media';
import type { Logger } from 'pino';
import { IceBridge } from '../ice/ice-bridge.ts';
import { ICE_TIMING, type IceTiming } from '../ice/ice-check-types.ts';
import {
  readRemoteDescription,
  writeOwnDescription,
  DescriptionError,
  type RemoteDescription,
} from '../ice/ice-sdp.ts';
import type { CustomerLeg } from '../leg/customer-leg.ts';
import { DtmfReceiver } from '../leg/dtmf-receiver.ts';
import { Player, type PlayerFormat, type PlayerSource } from '../leg/player.ts';
import { RecentIds } from '../leg/recent-ids.ts';
import { VoiceSource } from '../leg/voice-source.ts';
import type { ClipCache } from '../mix/clip-cache.ts';
import { LAW_PAYLOAD_TYPE, type Law } from '../rtp/g711.ts';
import type { RtpPacket } from '../rtp/packet.ts';
import { RtpSequencer } from '../rtp/sequencer.ts';
import type { Ticker } from '../rtp/ticker.ts';
import type { Direction } from '../sdp/carrier.ts';
import { localEnd } from '../sip/leg-end.ts';
import type { MediaWorker } from '../worker-pool.ts';
import { OpusInput } from './opus-input.ts';
import { OpusOutput } from './opus-output.ts';
import { OFFERED_PAYLOAD_TYPES, OpusTransport, payloadTypesOf, type PayloadTypes } from './opus-transport.ts';
import { RemoteSsrc } from './remote-ssrc.ts';
import { whatsAppStats } from './whatsapp-stats.ts';

export interface WhatsAppTiming {
  /** `limitMs`: once Meta has our description, because the call is accepted or Meta has sent its answer. */
  ice: IceTiming;
  /**
   * For a call from a customer, from our answer to Meta's offer: Meta may get that answer only when an agent accepts the call, and keeps
   * a call that nobody accepts for a minute at most.
   */
  acceptWithinMs: number;
  /** For a call that we place, from our offer to Meta's answer. Longer than a call rings; realtime usually ends the leg before. */
  answerWithinMs: number;
  /** Between ICE and the end of the DTLS handshake, whose first repetitions come after 1, 3 and 7 s. */
  dtlsTimeoutMs: number;
  /**
   * How long the leg is kept after the remote party has closed DTLS, as it does when a call ends: the webhook that says why
   * usually follows.
   */
  closedGraceMs: number;
}

export const WHATSAPP_TIMING: WhatsAppTiming = {
  ice: ICE_TIMING,
  acceptWithinMs: 60_000,
  answerWithinMs: 120_000,
  dtlsTimeoutMs: 10_000,
  closedGraceMs: 5_000,
};
/** Refusals too may only mean that Meta does not have our answer yet. */
const untilAccepted = ({ ice, acceptWithinMs }: WhatsAppTiming): IceTiming => ({
  ...ice,
  limitMs: acceptWithinMs + ice.limitMs,
  maxRefusals: Infinity,
});

/** Between the legs of a call audio is G.711. Browsers prefer this law, so nothing is transcoded once more. */
const LAW: Law = 'PCMU';
const MAX_UINT31 = 0x7fffffff;

export interface WhatsAppLegOptions {
  callId: number;
  legId: string;
  media: MediaWorker;
  ticker: Ticker;
  clips: ClipCache;
  bindAddress: string;
  /** The address in our description. */
  publicAddress: string;
  port: number;
  /** Whether anything may be sent to an address in the remote party's description. */
  maySendTo: (address: string) => boolean;
  timing: WhatsAppTiming;
  log: Logger;
  onPlayed: (playId: string, played: boolean) => void;
  onDigit: (digit: string) => void;
  /** The call is accepted, and the media path is connected. */
  onConnected: () => void;
  /** Called at most once, unless the leg is closed first. */
  onEnd: (end: LegEnd) => void;
}

export class WhatsAppLeg implements CustomerLeg {
  readonly side = 'whatsapp';
  readonly kind: 'carrier-in' | 'carrier-out';
  readonly callId: number;
  readonly legId: string;
  readonly port: number;
  readonly media: MediaWorker;
  readonly codec = 'OPUS';
  readonly laws = [{ law: LAW, payloadType: LAW_PAYLOAD_TYPE[LAW] }];
  /** Audio before the call is accepted is not heard: Meta sends none. */
  readonly hasEarlyMedia = false;
  readonly dtmfCommands = new RecentIds();
  readonly voice = new VoiceSource();
  readonly startedAtMs = performance.now();
  readonly #options: WhatsAppLegOptions;
  readonly #payloadTypes: PayloadTypes;
  readonly #player: Player;
  readonly #dtmfReceiver: DtmfReceiver;
  readonly #started = Promise.withResolvers<void>();
  #path: OpusTransport | null = null;
  #bridge: IceBridge | null = null;
  #input: OpusInput | null = null;
  #output: OpusOutput | null = null;
  #remote: RemoteDescription | null = null;
  #remoteSsrc: RemoteSsrc | null = null;
  #description = '';
  #format: PlayerFormat | null = null;
  #opened = false;
  #pathState: 'new' | 'ice' | 'connected' = 'new';
  #state: 'NEW' | 'CONNECTED' = 'NEW';
  #timer: NodeJS.Timeout | null = null;
  #ended = false;
  #closing: Promise<void> | null = null;

  private constructor(options: WhatsAppLegOptions, offer: RemoteDescription | null) {
    this.#options = options;
    this.kind = offer ? 'carrier-in' : 'carrier-out';
    this.callId = options.callId;
    this.legId = options.legId;
    this.port = options.port;
    this.media = options.media;
    this.#payloadTypes = offer ? payloadTypesOf(offer) : OFFERED_PAYLOAD_TYPES;
    this.#dtmfReceiver = new DtmfReceiver(options.onDigit);
    this.#player = new Player({
      ticker: options.ticker,
      clips: options.clips,
      onPlayed: options.onPlayed,
      sequencer: new RtpSequencer({
        ssrc: randomInt(1, MAX_UINT31),
        sequenceNumber: randomInt(0, 0x7fff),
        timestamp: randomInt(0, MAX_UINT31),
      }),
      format: () => (this.#state === 'CONNECTED' ? this.#format : null),
      send: (packet) => this.#send(packet),
      // Meta ends a call on which nothing is sent.
      sendsSilence: true,
    });
  }

  /** For a call that we place: `description` is the offer for Meta. */
  static async offer(options: WhatsAppLegOptions): Promise<WhatsAppLeg> {
    const leg = new WhatsAppLeg(options, null);
    await leg.#openUnlessItFails(null);
    return leg;
  }

  /** For a call from a customer: `description` is the answer to Meta's offer. Throws DescriptionError or IceFailure. */
  static async answer(options: WhatsAppLegOptions, sdpOffer: string): Promise<WhatsAppLeg> {
    const offer = readRemoteDescription(sdpOffer);
    const leg = new WhatsAppLeg(options, offer);
    await leg.#openUnlessItFails(offer);
    return leg;
  }

  get state(): 'NEW' | 'CONNECTED' {
    return this.#state;
  }

  get direction(): Direction {
    return this.#remote?.direction ?? 'sendrecv';
  }

  /** Our offer or answer. */
  get description(): string {
    return this.#description;
  }

  get hasRemote(): boolean {
    return this.#remote !== null;
  }

  get sendsEvents(): boolean {
    return this.#remote?.telephoneEventPayloadType !== null;
  }

  /** Meta's answer to our offer. Throws DescriptionError or IceFailure. */
  async applyAnswer(sdpAnswer: string): Promise<void> {
    const remote = readRemoteDescription(sdpAnswer);
    const { opus, events } = this.#payloadTypes;
    const { opusPayloadType, telephoneEventPayloadType } = remote;
    if (opusPayloadType !== opus || (telephoneEventPayloadType ?? events) !== events)
      throw new DescriptionError('a=rtpmap: the answer has other payload types than the offer');
    await this.#connect(remote);
  }

  /** The call is accepted: audio may pass. */
  open(): void {
    if (this.#opened || this.#closing) return;
    this.#opened = true;
    if (this.kind === 'carrier-in' && this.#pathState === 'new')
      this.#endAfter(
        this.#options.timing.ice.limitMs,
        localEnd('unreachable', 'the customer’s side did not answer ICE checks after the call was accepted'),
      );
    this.#connectedIfReady();
  }

  hear(sources: readonly PlayerSource[]): void {
    if (!this.#closing) this.#player.play(sources);
  }

  /** Sends DTMF digits as telephone events, once the call is accepted; resolves when the last one has been sent. */
  async sendDigits(digits: string): Promise<void> {
    // mediasoup starts a stream only with a packet of its first codec, so audio comes first.
    await this.#started.promise;
    if (!this.#closing) await this.#player.sendDigits(digits);
  }

  async activityCount(): Promise<number> {
    return this.#bridge?.counters.fromRemote.packets ?? 0;
  }

  async stats(): Promise<LegStats> {
    return whatsAppStats({
      durationMs: Math.round(performance.now() - this.startedAtMs),
      mediasoup: (await this.#path?.stats().catch(() => null)) ?? null,
      bridge: this.#bridge?.counters ?? null,
      undecodable: this.#input?.undecodable ?? 0,
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #openUnlessItFails(offer: RemoteDescription | null): Promise<void> {
    try {
      await this.#open(offer);
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async #open(offer: RemoteDescription | null): Promise<void> {
    const { media, bindAddress, publicAddress, port, maySendTo, timing, legId, log } = this.#options;
    const path = await OpusTransport.create(media, this.#payloadTypes, (packet) => this.#receive(packet));
    this.#path = path;
    this.#input = await OpusInput.create(LAW, randomInt(1, MAX_UINT31), (packet, nowMs) =>
      this.voice.push(packet, LAW, packet.ssrc, this, nowMs),
    );
    this.#output = await OpusOutput.create({
      opusPayloadType: this.#payloadTypes.opus,
      ssrc: path.inputSsrc,
      send: (datagram) => path.send(datagram),
    });
    this.#bridge = await IceBridge.open({
      bindAddress,
      port,
      transport: path.transport,
      isAllowed: maySendTo,
      judgeMedia: (datagram) => this.#remoteSsrc?.judge(datagram) ?? 'drop',
      timing: offer ? untilAccepted(timing) : timing.ice,
      onConnected: () => this.#iceConnected(),
      onLost: () => this.#end(localEnd('unreachable', 'the customer’s side no longer answers ICE checks')),
      onFailure: ({ message }) => this.#end(localEnd('unreachable', message)),
      onDatagramFailure: (error) => log.error({ err: error, legId }, 'failed to process a datagram'),
    });
    path.transport.on('dtlsstatechange', (state) => this.#dtlsChanged(state));
    this.#description = writeOwnDescription(
      {
        sessionId: Date.now(),
        address: publicAddress,
        port,
        credentials: this.#bridge.credentials,
        fingerprints: path.transport.dtlsParameters.fingerprints,
        ssrc: path.outputSsrc,
        cname: legId,
      },
      offer,
    );
    if (offer) return this.#connect(offer);
    this.#endAfter(timing.answerWithinMs, localEnd('unreachable', 'no answer to our offer arrived'));
  }

  async #connect(remote: RemoteDescription): Promise<void> {
    if (!this.#bridge || this.#closing) return;
    this.#stopTimer();
    this.#remote = remote;
    this.#format = {
      law: LAW,
      payloadType: LAW_PAYLOAD_TYPE[LAW],
      dtmfPayloadType: this.sendsEvents ? this.#payloadTypes.events : null,
      passThrough: LAW_PAYLOAD_TYPE,
    };
    this.#remoteSsrc = new RemoteSsrc(remote.opusPayloadType, remote.ssrc, (ssrc) => this.#prepare(ssrc));
    if (remote.ssrc !== null) this.#prepare(remote.ssrc);
    await this.#bridge.connect(remote);
  }

  #prepare(ssrc: number): void {
    const { log, legId } = this.#options;
    const prepared = this.#path?.receiveFrom(ssrc) ?? Promise.resolve();
    prepared
      .catch((error: unknown) => {
        if (!this.#closing) log.warn({ err: error, legId }, 'failed to receive from a new SSRC');
      })
      .finally(() => this.#bridge?.relayKept(this.#remoteSsrc?.prepared() ?? []));
  }

  /** A packet of the customer, decrypted and authenticated. */
  #receive(packet: RtpPacket): void {
    if (this.#closing) return;
    if (packet.payloadType === this.#payloadTypes.events) {
      if (this.#opened) this.#dtmfReceiver.receiveEvent(packet);
      return;
    }
    // Audio proves that a customer whom we called has answered, even if the webhook that says so is late.
    if (!this.#opened && this.kind === 'carrier-out') this.open();
    if (this.#state === 'CONNECTED' && this.voice.hasListeners)
      this.#input?.receive(packet, performance.now());
  }

  #send(packet: RtpPacket): void {
    if (this.#closing) return;
    this.#output?.send(packet);
    this.#started.resolve();
  }

  #iceConnected(): void {
    if (this.#pathState !== 'new' || this.#closing) return;
    this.#pathState = 'ice';
    this.#endAfter(
      this.#options.timing.dtlsTimeoutMs,
      localEnd('media-error', 'DTLS did not connect in time'),
    );
  }

  #dtlsChanged(state: string): void {
    if (this.#closing) return;
    if (state === 'failed') return this.#end(localEnd('media-error', 'DTLS failed'));
    if (state === 'connected') {
      this.#stopTimer();
      this.#pathState = 'connected';
      this.#connectedIfReady();
    } else if (state === 'closed') {
      this.#endAfter(
        this.#options.timing.closedGraceMs,
        localEnd('remote-bye', 'the customer’s side closed the media connection'),
      );
    }
  }

  #connectedIfReady(): void {
    if (!this.#opened || this.#pathState !== 'connected' || this.#state === 'CONNECTED' || this.#closing)
      return;
    this.#state = 'CONNECTED';
    this.#options.onConnected();
  }

  #end(end: LegEnd): void {
    if (this.#ended || this.#closing) return;
    this.#ended = true;
    this.#options.onEnd(end);
  }

  #endAfter(ms: number, end: LegEnd): void {
    this.#stopTimer();
    this.#timer = setTimeout(() => this.#end(end), ms);
  }

  #stopTimer(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }

  async #close(): Promise<void> {
    this.#stopTimer();
    this.#started.resolve();
    this.#player.close();
    this.#path?.close();
    this.#input?.close();
    this.#output?.close();
    await this.#bridge?.close();
  }
}
