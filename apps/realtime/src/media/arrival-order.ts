/**
 * Lets decisions that run concurrently commit in the order in which they began, per account, so that the calls of a surge are offered in
 * order of arrival. Commits of one account would wait for each other in any case: each changes the account's number of live calls. Calls that arrived in the same
 * millisecond are offered in the order of their IDs, which were taken by statements that ran concurrently: they are handed out in turn.
 */

export interface Turn {
  /**
   * Resolves when every earlier decision has ended or is known to be about another account.
   *
   * @param callId the ID that was taken for the call; null: none yet
   * @returns the ID to use: the lowest one that decisions on the account hold. The decision that held it uses `callId` or another one. Null:
   *   a new one, because an earlier call has got a higher one.
   */
  take(consumerId: number, callId: number | null): Promise<number | null>;
  end(): void;
}

interface Place {
  /** Null: not known yet. */
  consumerId: number | null;
  /** Null: not known yet, or used. */
  callId: number | null;
  /** Called when an earlier place may have become irrelevant. */
  proceed: (() => void) | null;
}

export class ArrivalOrder {
  /** Earliest first. */
  readonly #places: Place[] = [];
  /** By account: the ID that was handed out last. Forgotten when no decision runs: later ones take higher IDs. */
  readonly #lastIds = new Map<number, number>();

  begin(): Turn {
    const place: Place = { consumerId: null, callId: null, proceed: null };
    this.#places.push(place);
    return {
      take: async (consumerId, callId) => {
        Object.assign(place, { consumerId, callId });
        this.#proceed();
        if (!this.#isFirst(place)) await new Promise<void>((resolve) => (place.proceed = resolve));
        return this.#nextId(consumerId, place);
      },
      end: () => {
        const index = this.#places.indexOf(place);
        if (index >= 0) this.#places.splice(index, 1);
        if (this.#places.length === 0) this.#lastIds.clear();
        this.#proceed();
      },
    };
  }

  #nextId(consumerId: number, place: Place): number | null {
    const callId = this.#lowestId(place);
    if (callId === null || callId < (this.#lastIds.get(consumerId) ?? 0)) return null;
    this.#lastIds.set(consumerId, callId);
    return callId;
  }

  /** Takes the lowest ID of the account's places, and leaves the place's own in exchange. */
  #lowestId(place: Place): number | null {
    const own = place.callId;
    if (own === null) return null;
    const lowest = this.#places
      .filter(({ consumerId, callId }) => consumerId === place.consumerId && callId !== null)
      .reduce((best, other) => ((other.callId ?? own) < (best.callId ?? own) ? other : best), place);
    const { callId } = lowest;
    lowest.callId = own;
    place.callId = null;
    return callId;
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
