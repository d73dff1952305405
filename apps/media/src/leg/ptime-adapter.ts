/**
 * In what packets a leg sends: as they are made, of 20 ms, until the far end asks for another length. From then on they are framed anew
 * for good, because that numbers them anew.
 */
import type { RtpPacket } from '../rtp/packet.ts';
import { Repacketizer, type RepacketizerOptions } from '../rtp/repacketizer.ts';
import { PTIME_MS } from '../sdp/carrier.ts';

export class PtimeAdapter {
  readonly #options: RepacketizerOptions;
  #repacketizer: Repacketizer | null = null;

  constructor(options: RepacketizerOptions) {
    this.#options = options;
  }

  get isRepacketizing(): boolean {
    return this.#repacketizer !== null;
  }

  setPtime(ptimeMs: number): void {
    if (this.#repacketizer) this.#repacketizer.ptimeMs = ptimeMs;
    else if (ptimeMs !== PTIME_MS) this.#repacketizer = new Repacketizer(ptimeMs, this.#options);
  }

  send(packet: RtpPacket): void {
    (this.#repacketizer ?? this.#options).send(packet);
  }
}
