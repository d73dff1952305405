/** Sorts the packets that the local endpoint receives from the remote party into voice, DTMF and early media. */
import type { PacketKind } from '../endpoint/local-rtp-endpoint.ts';
import { SILENT } from '../rtp/g711.ts';
import type { RtpPacket } from '../rtp/packet.ts';
import type { DtmfReceiver } from './dtmf-receiver.ts';
import type { NegotiatedMedia } from './negotiated-media.ts';
import { EarlyMedia } from './early-media.ts';
import type { VoiceSource } from './voice-source.ts';

export class IncomingAudio {
  readonly early: EarlyMedia;
  readonly #voice: VoiceSource;
  readonly #dtmf: DtmfReceiver;
  readonly #onChange: () => void;
  #payloadType: number | null = null;

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
    const spoken = kind === 'voice' ? packet : this.#silenceFor(packet, negotiated);
    const law = spoken && negotiated.lawOf(spoken.payloadType);
    if (spoken && law && this.#voice.hasListeners) this.#voice.push(spoken, law, spoken.ssrc, via, nowMs);
    if (first) this.#onChange();
  }

  /** Replaces comfort noise with 20 ms of encoded silence, so that sequence numbers have no gap. */
  #silenceFor(packet: RtpPacket, negotiated: NegotiatedMedia): RtpPacket | null {
    const payloadType = this.#payloadType ?? negotiated.sending?.payloadType;
    const law = payloadType === undefined ? null : negotiated.lawOf(payloadType);
    return payloadType !== undefined && law ? { ...packet, payloadType, payload: SILENT[law] } : null;
  }
}
