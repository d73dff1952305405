/**
 * The packet length of a leg. Packets are sent as produced, with 20 ms, until the remote party asks for another length.
 * From then on every packet is repacketized, because that renumbers the stream.
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
