import type { IceServers } from './ice-servers.ts';
import { Peer } from './peer.ts';
import type { Platform } from './platform.ts';

/**
 * Prepares answering while a call rings, so that a click sends `call:accept` immediately: of several agents, the first one to click
 * gets the call.
 */
export class RingPreparation {
  readonly #platform: Platform;
  readonly #iceServers: IceServers;
  readonly #opensMicrophone: boolean;
  readonly #offVisible: () => void;
  #ringing = false;
  #peer: Peer | null = null;

  /** @param opensMicrophone open the microphone while a call rings; otherwise only the permission is checked */
  constructor(platform: Platform, iceServers: IceServers, opensMicrophone: boolean) {
    this.#platform = platform;
    this.#iceServers = iceServers;
    this.#opensMicrophone = opensMicrophone;
    this.#offVisible = platform.onVisible(() => this.#prepare());
  }

  update(ringing: boolean): void {
    if (ringing === this.#ringing) return;
    this.#ringing = ringing;
    if (ringing) return this.#prepare();
    this.#discard();
  }

  /** For the call that is answered now, which closes it; null if there is none. */
  takePeer(): Peer | null {
    const peer = this.#peer;
    this.#peer = null;
    return peer;
  }

  close(): void {
    this.#offVisible();
    this.#ringing = false;
    this.#discard();
  }

  /** Only in the visible tab, where the user will click: some systems allow only one tab to use the microphone. */
  #prepare(): void {
    if (!this.#ringing || !this.#platform.isVisible()) return;
    void this.#platform.microphone.prepare(this.#opensMicrophone);
    void this.#preparePeer();
  }

  /** Its offer is created but nothing is gathered: an agent who does not answer reserves no address at a TURN server. */
  async #preparePeer(): Promise<void> {
    const iceServers = await this.#iceServers.fresh();
    if (!this.#ringing || this.#peer) return;
    const peer = (this.#peer = new Peer(this.#platform.media, iceServers));
    await peer.prepare().catch(() => {
      if (this.#peer === peer) this.#peer = null;
      peer.close();
    });
  }

  #discard(): void {
    this.#platform.microphone.closeUnused();
    this.#peer?.close();
    this.#peer = null;
  }
}
