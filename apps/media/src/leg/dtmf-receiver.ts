/**
 * The DTMF digits that the remote party of a carrier leg sends. Each is reported once, whether it arrives by RFC 4733,
 * INFO or both.
 */
import { DtmfReader } from '../rtp/dtmf.ts';
import { DtmfDeduplicator, type DtmfSource } from '../rtp/dtmf-deduplicator.ts';
import type { RtpPacket } from '../rtp/packet.ts';

export class DtmfReceiver {
  readonly #onDigit: (digit: string) => void;
  readonly #reader = new DtmfReader();
  readonly #deduplicator = new DtmfDeduplicator();
  /** The event reported last. */
  #event: { digit: string; timestamp: number } | null = null;

  constructor(onDigit: (digit: string) => void) {
    this.#onDigit = onDigit;
  }

  /** Handles a packet of a telephone event, received by either endpoint. */
  receiveEvent({ timestamp, payload }: RtpPacket): void {
    const digit = this.#reader.read(timestamp, payload);
    if (digit !== null) {
      this.#event = { digit, timestamp };
      this.#report(digit, 'event');
    } else if (this.#event?.timestamp === timestamp)
      this.#deduplicator.stillPressed(this.#event.digit, performance.now());
  }

  receiveInfo(digit: string): void {
    this.#report(digit, 'info');
  }

  #report(digit: string, source: DtmfSource): void {
    if (this.#deduplicator.isNew(digit, source, performance.now())) this.#onDigit(digit);
  }
}
