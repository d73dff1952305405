import type { IceServers } from './ice-servers.ts';
import type { Microphone } from './microphone.ts';

/**
 * Prepares an answer while a call still rings, so that a click sends `call:accept` at once: among several agents the first
 * to click gets the call.
 */
export class RingPreparation {
  readonly #microphone: Microphone;
  readonly #iceServers: IceServers;
  #ringing = false;

  constructor(microphone: Microphone, iceServers: IceServers) {
    this.#microphone = microphone;
    this.#iceServers = iceServers;
    document.addEventListener('visibilitychange', this.#prepare);
  }

  update(ringing: boolean): void {
    if (ringing === this.#ringing) return;
    this.#ringing = ringing;
    if (ringing) this.#prepare();
    else this.#microphone.closeUnused();
  }

  close(): void {
    document.removeEventListener('visibilitychange', this.#prepare);
    this.#ringing = false;
    this.#microphone.closeUnused();
  }

  /** Only in the visible tab, where the click will be: some systems give the microphone to one tab only. */
  readonly #prepare = (): void => {
    if (!this.#ringing || document.visibilityState !== 'visible') return;
    void this.#iceServers.fresh();
    void this.#microphone.openAhead();
  };
}
