/** A voice that held legs can hear: the packets of a far end while they pass through JavaScript. */
import type { Law } from '../rtp/g711.ts';
import type { RtpPacket } from '../rtp/packet.ts';

export interface VoicePacket extends RtpPacket {
  law: Law;
}
export type VoiceListener = (packet: VoicePacket, nowMs: number) => void;

export class Speaker {
  #listeners = new Set<VoiceListener>();
  readonly #onDemand: (wanted: boolean) => void;

  /** `onDemand` is told when the first listener comes and when the last one leaves. */
  constructor(onDemand: (wanted: boolean) => void = () => undefined) {
    this.#onDemand = onDemand;
  }

  get wanted(): boolean {
    return this.#listeners.size > 0;
  }

  listen(listener: VoiceListener): () => void {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) this.#onDemand(true);
    return () => {
      if (this.#listeners.delete(listener) && this.#listeners.size === 0) this.#onDemand(false);
    };
  }

  speak(packet: VoicePacket, nowMs: number): void {
    for (const listener of this.#listeners) listener(packet, nowMs);
  }
}
