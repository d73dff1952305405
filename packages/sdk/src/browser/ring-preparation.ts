import type { IceServers } from './ice-servers.ts';
import type { Microphone } from './microphone.ts';

/**
 * Prepares answering while a call rings, so that a click sends `call:accept` immediately: of several agents, the first one to click
 * gets the call.
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

  /** Only in the visible tab, where the user will click: some systems allow only one tab to use the microphone. */
  readonly #prepare = (): void => {
    if (!this.#ringing || document.visibilityState !== 'visible') return;
    void this.#iceServers.fresh();
    void this.#microphone.openAhead();
  };
}
