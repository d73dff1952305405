/** The keys that the far end of a carrier leg presses, each reported once whether it arrives by RFC 4733, INFO or both. */
import { DtmfReader } from '../rtp/dtmf.ts';
import { KeyFilter, type KeyReport } from '../rtp/key-filter.ts';
import type { RtpPacket } from '../rtp/packet.ts';

export class CarrierKeys {
  readonly #onDigit: (digit: string) => void;
  readonly #reader = new DtmfReader();
  readonly #filter = new KeyFilter();
  /** The event reported last. */
  #event: { digit: string; timestamp: number } | null = null;

  constructor(onDigit: (digit: string) => void) {
    this.#onDigit = onDigit;
  }

  /** A packet of a telephone event, received by our endpoint or by mediasoup. */
  event({ timestamp, payload }: RtpPacket): void {
    const digit = this.#reader.read(timestamp, payload);
    if (digit !== null) {
      this.#event = { digit, timestamp };
      this.#report(digit, 'event');
    } else if (this.#event?.timestamp === timestamp) this.#filter.held(this.#event.digit, performance.now());
  }

  info(digit: string): void {
    this.#report(digit, 'info');
  }

  #report(digit: string, by: KeyReport): void {
    if (this.#filter.isNew(digit, by, performance.now())) this.#onDigit(digit);
  }
}
