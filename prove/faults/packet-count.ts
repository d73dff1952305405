/** Counts the packets of an audio stream whose content is transcoded on the way, so that the sender's numbers do not arrive. */
import { streamQuality, type RtpStream } from '@clarion/test-phone/rtp/port';

export interface Counted {
  received: number;
  /** By the sequence numbers of the RTP stream that arrives. */
  lost: number;
}

export class PacketCount {
  readonly #streams: RtpStream[] = [];

  attach(stream: RtpStream): void {
    this.#streams.push(stream);
  }

  get streams(): number {
    return this.#streams.length;
  }

  /** Starts a window and discards the packets of the previous one. */
  begin(): void {
    for (const stream of this.#streams) stream.heard = [];
  }

  end(): Counted {
    const counted = { received: 0, lost: 0 };
    for (const { heard } of this.#streams) {
      const { received, lost } = streamQuality(heard);
      counted.received += received;
      counted.lost += lost;
    }
    return counted;
  }
}
