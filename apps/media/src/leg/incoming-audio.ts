/** Sorts the packets that the local endpoint receives from the remote party into voice, DTMF and early media. */
import type { PacketKind } from '../endpoint/local-rtp-endpoint.ts';
import { lawNamed, SILENT, type Law } from '../rtp/g711.ts';
import type { RtpPacket } from '../rtp/packet.ts';
import type { DtmfReceiver } from './dtmf-receiver.ts';
import { G722_LAW, G722Input } from './g722-audio.ts';
import type { NegotiatedMedia } from './negotiated-media.ts';
import { EarlyMedia } from './early-media.ts';
import type { VoiceSource } from './voice-source.ts';

export class IncomingAudio {
  readonly early: EarlyMedia;
  readonly #voice: VoiceSource;
  readonly #dtmf: DtmfReceiver;
  readonly #onChange: () => void;
  #payloadType: number | null = null;
  /** Created for the first packet of G.722. */
  #g722: G722Input | null = null;

  /** @param onChange called when early media has started, or has stopped before the answer */
  constructor(voice: VoiceSource, dtmf: DtmfReceiver, onChange: () => void) {
    this.#voice = voice;
    this.#dtmf = dtmf;
    this.#onChange = onChange;
    this.early = new EarlyMedia(onChange);
  }

  /** Of the last voice packet; null before the first one from this source. */
  get payloadType(): number | null {
    return this.#payloadType;
  }

  /** Forgets the payload type because the source has changed. */
  reset(): void {
    this.#payloadType = null;
  }

  receive(
    packet: RtpPacket,
    kind: PacketKind,
    negotiated: NegotiatedMedia,
    via: object,
    nowMs: number,
  ): void {
    if (kind === 'dtmf') return this.#dtmf.receiveEvent(packet);
    this.early.receive(kind);
    const first = kind === 'voice' && this.#payloadType === null;
    if (kind === 'voice') this.#payloadType = packet.payloadType;
    if (this.#voice.hasListeners) this.#push(packet, kind, negotiated, via, nowMs);
    if (first) this.#onChange();
  }

  #push(packet: RtpPacket, kind: PacketKind, negotiated: NegotiatedMedia, via: object, nowMs: number): void {
    const codec = negotiated.codecOf(
      kind === 'voice' ? packet.payloadType : (this.#payloadType ?? negotiated.sending?.payloadType ?? -1),
    );
    const law: Law | null = codec === 'G722' ? G722_LAW : lawNamed(codec ?? '');
    if (!law) return;
    // Comfort noise is replaced by 20 ms of silence, so that sequence numbers have no gap.
    let payload: Buffer = SILENT[law];
    if (kind === 'voice') {
      payload = codec === 'G722' ? this.#decode(packet) : packet.payload;
    }
    this.#voice.push({ ...packet, payload }, law, packet.ssrc, via, nowMs);
  }

  #decode({ payload, ssrc }: RtpPacket): Buffer {
    this.#g722 ??= new G722Input();
    return this.#g722.decode(payload, ssrc);
  }
}
