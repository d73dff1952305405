/** Limits how many requests to the same origin run at a time. The others wait in the order in which they came. */

interface Waiting {
  start: () => void;
  timer: NodeJS.Timeout;
}

interface Lane {
  running: number;
  waiting: Waiting[];
}

export class ConcurrencyLimit {
  readonly #max: number;
  readonly #lanes = new Map<string, Lane>();

  constructor(max: number) {
    this.#max = max;
  }

  /** @returns null if it could not start within `timeoutMs` */
  async run<T>(key: string, timeoutMs: number, work: () => Promise<T>): Promise<T | null> {
    const lane = this.#lanes.get(key) ?? { running: 0, waiting: [] };
    this.#lanes.set(key, lane);
    if (lane.running < this.#max) lane.running += 1;
    else if (!(await this.#turn(lane, timeoutMs))) return null;
    try {
      return await work();
    } finally {
      this.#release(key, lane);
    }
  }

  #turn({ waiting }: Lane, timeoutMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const entry: Waiting = {
        start: () => {
          clearTimeout(entry.timer);
          resolve(true);
        },
        timer: setTimeout(() => {
          waiting.splice(waiting.indexOf(entry), 1);
          resolve(false);
        }, timeoutMs),
      };
      waiting.push(entry);
    });
  }

  /** Hands the place over to the next one. */
  #release(key: string, lane: Lane): void {
    const next = lane.waiting.shift();
    if (next) next.start();
    else {
      lane.running -= 1;
      if (lane.running === 0) this.#lanes.delete(key);
    }
  }
}
