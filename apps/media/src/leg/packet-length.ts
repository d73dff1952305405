/**
 * In what packets a leg sends: as they are made, of 20 ms, until the far end asks for another length. From then on they are framed anew
 * for good, because that numbers them anew.
 */
import type { RtpPacket } from '../rtp/packet.ts';
import { Reframer, type ReframerOptions } from '../rtp/reframer.ts';
import { PTIME_MS } from '../sdp/carrier.ts';

export class PacketLength {
  readonly #options: ReframerOptions;
  #reframer: Reframer | null = null;

  constructor(options: ReframerOptions) {
    this.#options = options;
  }

  get isChanged(): boolean {
    return this.#reframer !== null;
  }

  ask(ptimeMs: number): void {
    if (this.#reframer) this.#reframer.ptimeMs = ptimeMs;
    else if (ptimeMs !== PTIME_MS) this.#reframer = new Reframer(ptimeMs, this.#options);
  }

  send(packet: RtpPacket): void {
    (this.#reframer ?? this.#options).send(packet);
  }
}
