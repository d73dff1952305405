/** What a service does instead of what it would do. */

export type FaultEffect =
  /** Any response. */
  | {
      readonly kind: 'respond';
      readonly status: number;
      readonly body?: unknown;
      readonly headers?: Record<string, string>;
    }
  /** Processed and answered that much later. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** Never processed, never answered. */
  | { readonly kind: 'silence' }
  /** Processed, and the connection is closed without an answer. */
  | { readonly kind: 'drop' };

export interface Fault {
  readonly effect: FaultEffect;
  /** Only requests for this device. */
  readonly token?: string;
  /** How many requests are affected: 1 unless given. */
  readonly times?: number;
}

export class Faults {
  readonly #faults: { fault: Fault; left: number }[] = [];

  /** The first fault that applies and has uses left decides. */
  add(fault: Fault): void {
    this.#faults.push({ fault, left: fault.times ?? 1 });
  }

  clear(): void {
    this.#faults.length = 0;
  }

  take(token: string | null): FaultEffect | null {
    const found = this.#faults.find(
      ({ fault, left }) => left > 0 && (fault.token === undefined || fault.token === token),
    );
    if (!found) return null;
    found.left -= 1;
    return found.fault.effect;
  }
}
