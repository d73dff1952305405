/**
 * The SRTP of a carrier leg. It stays on the local endpoint for the whole call, because the rollover counters of both
 * directions are here (docs/decisions/carrier-srtp.md).
 */
import type { SessionKeyPair } from '../sdp/crypto.ts';
import { SrtpReceiver, SrtpSender } from '../rtp/srtp.ts';
import { sameKey, type MasterKey } from '../rtp/srtp-keys.ts';

export class LegSrtp {
  #sending: { key: MasterKey; sender: SrtpSender; used: boolean } | null = null;
  #receiver: SrtpReceiver | null = null;
  /** Packets with the previous key may still be in flight. */
  #previous: SrtpReceiver | null = null;
  #rejected = 0;

  /** Whether the audio is encrypted. */
  get active(): boolean {
    return this.#sending !== null;
  }

  /** Packets that were not authentic, or had been received before. */
  get rejected(): number {
    return this.#rejected;
  }

  /**
   * Applies the keys of a new session description; null: the audio is not encrypted.
   *
   * @returns whether packets were sent with another key, so that the stream has to continue with a new SSRC
   */
  apply(keys: SessionKeyPair | null): boolean {
    if (!keys) {
      const used = this.#sending?.used ?? false;
      this.#sending = null;
      this.#receiver = null;
      this.#previous = null;
      return used;
    }
    if (!sameKey(this.#receiver?.key ?? null, keys.receive)) {
      this.#previous = this.#receiver;
      this.#receiver = new SrtpReceiver(keys.receive, this.#receiver);
    }
    if (sameKey(this.#sending?.key ?? null, keys.send)) return false;
    const used = this.#sending?.used ?? false;
    this.#sending = { key: keys.send, sender: new SrtpSender(keys.send), used: false };
    return used;
  }

  /** The datagram to send; null: it must not be sent. */
  protectRtp(datagram: Buffer): Buffer | null {
    if (!this.#sending) return datagram;
    this.#sending.used = true;
    return this.#sending.sender.protectRtp(datagram);
  }

  protectRtcp(datagram: Buffer): Buffer | null {
    return this.#sending ? this.#sending.sender.protectRtcp(datagram) : datagram;
  }

  /** The plain packet; null: it is not authentic. */
  unprotectRtp(datagram: Buffer): Buffer | null {
    return this.#unprotect(datagram, (receiver) => receiver.unprotectRtp(datagram));
  }

  unprotectRtcp(datagram: Buffer): Buffer | null {
    return this.#unprotect(datagram, (receiver) => receiver.unprotectRtcp(datagram));
  }

  #unprotect(datagram: Buffer, by: (receiver: SrtpReceiver) => Buffer | null): Buffer | null {
    if (!this.#receiver) return datagram;
    const plain = by(this.#receiver);
    if (plain) return plain;
    const late = this.#previous && by(this.#previous);
    if (!late) this.#rejected += 1;
    return late;
  }
}
