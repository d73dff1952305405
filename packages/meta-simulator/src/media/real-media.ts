/** A customer with real audio: Meta's ICE-lite outside in front of libdatachannel (DTLS, SRTP), with Opus and telephone events. */
import { randomInt } from 'node:crypto';
import { Audio, PeerConnection, type Track } from 'node-datachannel';
import type {
  CustomerAudio,
  CustomerMedia,
  CustomerMediaFactory,
  Heard,
  MediaContext,
  MediaCounters,
} from './customer-media.ts';
import { Listener } from './listener.ts';
import { META_MID, MetaRelay } from './relay.ts';
import type { RtpPacket } from './rtp.ts';
import { parseSdp, TELEPHONE_EVENT } from './sdp.ts';
import { Speaker } from './speaker.ts';

const LOOPBACK = '127.0.0.1';
/**
 * The lower half: a receiver counts wraps from the first packet that arrives (RFC 3711 §3.3.1), so there must be none within packets that are lost
 * before it.
 */
const SEQUENCE_STARTS = 0x8000;

export interface RealMediaOptions {
  /** The address of the only candidate, which the business must be able to reach; 127.0.0.1 by default. */
  readonly address?: string;
  /** Called with each audio packet that a customer receives from the business: its RTP header and Opus payload. */
  readonly onAudio?: (callId: string, packet: RtpPacket) => void;
  /** Of the customer's first audio packet, 0 to 65535; random in the lower half by default. */
  readonly firstSequence?: number;
}

export const realMedia =
  (options: RealMediaOptions = {}): CustomerMediaFactory =>
  async (context) =>
    RealMedia.open(options, context);

class RealMedia implements CustomerMedia {
  readonly #relay: MetaRelay;
  readonly #connection: PeerConnection;
  readonly #context: MediaContext;
  readonly #listener: Listener;
  #speaker!: Speaker;
  #track: Track | null = null;
  #open = false;
  #closed = false;
  #early = 0;

  private constructor(relay: MetaRelay, context: MediaContext, onAudio: (packet: RtpPacket) => void) {
    this.#relay = relay;
    this.#context = context;
    this.#listener = new Listener({ onDigit: (digit) => context.onEvent({ type: 'digit', digit }), onAudio });
    this.#connection = new PeerConnection(context.callId, {
      iceServers: [],
      bindAddress: LOOPBACK,
      forceMediaTransport: true,
      disableAutoNegotiation: true,
    });
    this.#connection.onStateChange((state) => {
      if (this.#closed) return;
      if (state === 'connected') {
        context.onEvent({ type: 'connected' });
        if (this.#open) this.#speaker.start();
      }
      if (state === 'failed')
        context.onEvent({ type: 'failed', reason: 'ICE, DTLS or the fingerprint failed' });
    });
  }

  static async open(
    { address = LOOPBACK, onAudio, firstSequence }: RealMediaOptions,
    context: MediaContext,
  ): Promise<RealMedia> {
    const relay = await MetaRelay.open({ address, port: 0, agentAddress: LOOPBACK });
    const media = new RealMedia(relay, context, (packet) => onAudio?.(context.callId, packet));
    media.#speaker = await Speaker.create({
      ssrc: relay.ssrc,
      firstSequence: firstSequence ?? randomInt(SEQUENCE_STARTS),
      payloadTypes: () => media.#payloadTypes(),
      send: (packet) => media.#send(packet),
    });
    return media;
  }

  async createOffer(): Promise<string> {
    this.#addTrack();
    return this.#relay.toBusiness(await this.#localFingerprint('offer'), 'actpass');
  }

  async applyRemote(answer: string): Promise<void> {
    this.#connection.setRemoteDescription(this.#relay.toAgent(answer), 'answer');
  }

  async createAnswer(offer: string): Promise<string> {
    const forAgent = this.#relay.toAgent(offer);
    this.#addTrack();
    this.#connection.setRemoteDescription(forAgent, 'offer');
    return this.#relay.toBusiness(await this.#localFingerprint('answer'), 'active');
  }

  open(): void {
    this.#open = true;
    if (this.#connection.state() === 'connected') this.#speaker.start();
  }

  play(audio: CustomerAudio): void {
    this.#speaker.play(audio);
  }

  async sendDigits(digits: string): Promise<void> {
    await this.#speaker.digits(digits);
  }

  async heard(): Promise<Heard> {
    return this.#listener.heard();
  }

  counters(): MediaCounters {
    const { checks, unauthorized, roleConflicts } = this.#relay.iceCounters;
    return {
      packetsSent: this.#speaker.sent,
      packetsReceived: this.#listener.received,
      earlyPackets: this.#early,
      silentForMs: this.#listener.silentForMs,
      iceChecks: checks,
      iceUnauthorized: unauthorized,
      iceRoleConflicts: roleConflicts,
      digits: this.#listener.digits,
    };
  }

  interrupt(what: 'media' | 'consent', interrupted: boolean): void {
    if (what === 'media') this.#speaker.muted = interrupted;
    else this.#relay.answersChecks = !interrupted;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#speaker.close();
    this.#track?.close();
    this.#connection.close();
    this.#relay.close();
  }

  #payloadTypes(): { opus: number; telephoneEvent: number } {
    return { opus: this.#relay.opus, telephoneEvent: this.#relay.telephoneEvent };
  }

  #addTrack(): void {
    const { opus, telephoneEvent } = this.#payloadTypes();
    const audio = new Audio(META_MID, 'SendRecv');
    audio.addOpusCodec(opus);
    audio.addAudioCodec(telephoneEvent, TELEPHONE_EVENT);
    audio.addSSRC(this.#relay.ssrc, 'whatsapp');
    this.#track = this.#connection.addTrack(audio);
    this.#track.onMessage((packet) => this.#receive(packet));
  }

  #receive(packet: Buffer): void {
    if (this.#closed || !this.#listener.take(packet, this.#payloadTypes()) || this.#open) return;
    this.#early += 1;
    if (this.#early === 1) this.#context.onEvent({ type: 'early-media' });
  }

  #send(packet: Buffer): boolean {
    if (this.#closed || this.#track === null || !this.#track.isOpen()) return false;
    try {
      return this.#track.sendMessageBinary(packet);
    } catch {
      return false; // closed by the other end since the check, because the library runs its own threads
    }
  }

  async #localFingerprint(type: 'offer' | 'answer'): Promise<string> {
    const sdp = await new Promise<string>((resolve) => {
      this.#connection.onLocalDescription((text) => resolve(text));
      this.#connection.setLocalDescription(type);
    });
    const [fingerprint] = parseSdp(sdp)?.fingerprints ?? [];
    if (!fingerprint) throw new Error('libdatachannel gave no fingerprint');
    return fingerprint.value;
  }
}
