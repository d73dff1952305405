/**
 * Lets decisions that run concurrently commit in the order in which they began, per account, so that the calls of a surge are offered in
 * order of arrival. Commits of one account would wait for each other in any case: each changes the account's number of live calls.
 */

export interface Turn {
  /** Resolves when every earlier decision has ended or is known to be about another account. */
  take(consumerId: number): Promise<void>;
  end(): void;
}

interface Place {
  /** Null: not known yet. */
  consumerId: number | null;
  /** Called when an earlier place may have become irrelevant. */
  proceed: (() => void) | null;
}

export class ArrivalOrder {
  /** Earliest first. */
  readonly #places: Place[] = [];

  begin(): Turn {
    const place: Place = { consumerId: null, proceed: null };
    this.#places.push(place);
    return {
      take: async (consumerId) => {
        place.consumerId = consumerId;
        this.#proceed();
        if (!this.#isFirst(place)) await new Promise<void>((resolve) => (place.proceed = resolve));
      },
      end: () => {
        const index = this.#places.indexOf(place);
        if (index >= 0) this.#places.splice(index, 1);
        this.#proceed();
      },
    };
  }

  #isFirst(place: Place): boolean {
    const earlier = this.#places.slice(0, this.#places.indexOf(place));
    return earlier.every(({ consumerId }) => consumerId !== null && consumerId !== place.consumerId);
  }

  #proceed(): void {
    for (const place of this.#places) {
      if (!place.proceed || !this.#isFirst(place)) continue;
      place.proceed();
      place.proceed = null;
    }
  }
}
