/** Sorts what our endpoint receives from a carrier's far end into voice, keys, and early media. */
import type { PacketKind } from '../endpoint/held.ts';
import { SILENT } from '../rtp/g711.ts';
import type { RtpPacket } from '../rtp/packet.ts';
import type { CarrierKeys } from './carrier-keys.ts';
import type { CarrierTerms } from './carrier-terms.ts';
import { EarlyMedia } from './early-media.ts';
import type { Speaker } from './speaker.ts';

export class FarEnd {
  readonly early: EarlyMedia;
  readonly #speaker: Speaker;
  readonly #keys: CarrierKeys;
  readonly #onChange: () => void;
  #payloadType: number | null = null;

  /** @param onChange early media has started, or has stopped before the answer */
  constructor(speaker: Speaker, keys: CarrierKeys, onChange: () => void) {
    this.#speaker = speaker;
    this.#keys = keys;
    this.#onChange = onChange;
    this.early = new EarlyMedia(onChange);
  }

  /** From the last voice packet; null before the first one of this source. */
  get payloadType(): number | null {
    return this.#payloadType;
  }

  /** The packets come from another source from now on. */
  forget(): void {
    this.#payloadType = null;
  }

  heard(packet: RtpPacket, kind: PacketKind, terms: CarrierTerms, via: object, nowMs: number): void {
    if (kind === 'key') return this.#keys.event(packet);
    this.early.heard(kind);
    const first = kind === 'voice' && this.#payloadType === null;
    if (kind === 'voice') this.#payloadType = packet.payloadType;
    const spoken = kind === 'voice' ? packet : this.#silenceFor(packet, terms);
    const law = spoken && terms.lawOf(spoken.payloadType);
    if (spoken && law && this.#speaker.wanted) this.#speaker.speak(spoken, law, spoken.ssrc, via, nowMs);
    if (first) this.#onChange();
  }

  /** Comfort noise becomes 20 ms of silence in the law of the voice, so that sequence numbers have no gap. */
  #silenceFor(packet: RtpPacket, terms: CarrierTerms): RtpPacket | null {
    const payloadType = this.#payloadType ?? terms.sending?.payloadType;
    const law = payloadType === undefined ? null : terms.lawOf(payloadType);
    return payloadType !== undefined && law ? { ...packet, payloadType, payload: SILENT[law] } : null;
  }
}
