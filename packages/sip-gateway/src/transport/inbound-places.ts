/**
 * How many inbound connections are accepted. Strangers, from which no call has been accepted yet, get only a share of
 * the places, so that known carriers can connect however many strangers do.
 */

/** Maximum number of inbound connections; further ones are closed. */
export const MAX_INBOUND_CONNECTIONS = 4096;
/** Of these, from all strangers together. */
export const MAX_STRANGER_CONNECTIONS = 2048;
/** Maximum number of inbound connections per address. */
export const MAX_CONNECTIONS_PER_ADDRESS = 256;

export class InboundPlaces {
  readonly #isKnown: (address: string) => boolean;
  readonly #perAddress = new Map<string, number>();
  #taken = 0;
  #takenByStrangers = 0;

  constructor(isKnown: (address: string) => boolean) {
    this.#isKnown = isKnown;
  }

  /** Takes a place and returns a function that releases it, to be called once; null if there is none. */
  take(address: string): (() => void) | null {
    const stranger = !this.#isKnown(address);
    const count = this.#perAddress.get(address) ?? 0;
    if (this.#taken >= MAX_INBOUND_CONNECTIONS || count >= MAX_CONNECTIONS_PER_ADDRESS) return null;
    if (stranger && this.#takenByStrangers >= MAX_STRANGER_CONNECTIONS) return null;
    this.#perAddress.set(address, count + 1);
    this.#taken++;
    if (stranger) this.#takenByStrangers++;
    return () => {
      const left = (this.#perAddress.get(address) ?? 1) - 1;
      if (left > 0) this.#perAddress.set(address, left);
      else this.#perAddress.delete(address);
      this.#taken--;
      if (stranger) this.#takenByStrangers--;
    };
  }
}
