/** What a carrier leg sends: the packets of the player, in the packet length and the codec that the remote party wants. */
import type { RtpPacket } from '../rtp/packet.ts';
import { G722Output } from './g722-audio.ts';
import type { NegotiatedMedia } from './negotiated-media.ts';
import { PtimeAdapter } from './ptime-adapter.ts';

export class OutgoingAudio {
  readonly #send: (packet: RtpPacket) => void;
  readonly #ptimeAdapter: PtimeAdapter;
  #negotiated: NegotiatedMedia | null = null;
  /** Created for the first session with G.722. */
  #g722: G722Output | null = null;

  /** @param send the packet and its payload are valid only during the call */
  constructor(send: (packet: RtpPacket) => void) {
    this.#send = send;
    this.#ptimeAdapter = new PtimeAdapter({
      lawOf: (payloadType) => this.#negotiated?.sentLawOf(payloadType) ?? null,
      send: (packet) => this.#encode(packet),
    });
  }

  get isRepacketizing(): boolean {
    return this.#ptimeAdapter.isRepacketizing;
  }

  apply(negotiated: NegotiatedMedia): void {
    this.#negotiated = negotiated;
    this.#ptimeAdapter.setPtime(negotiated.ptimeMs);
  }

  send(packet: RtpPacket): void {
    this.#ptimeAdapter.send(packet);
  }

  /** Voice is G.711; telephone events remain as they are. */
  #encode(packet: RtpPacket): void {
    const payloadType = this.#negotiated?.sendsG722As ?? null;
    const law = this.#negotiated?.sentLawOf(packet.payloadType);
    if (payloadType === null || !law) return this.#send(packet);
    this.#g722 ??= new G722Output();
    this.#send({ ...packet, payloadType, payload: this.#g722.encode(packet.payload, law) });
  }
}
