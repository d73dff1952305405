/**
 * The gateway's source of time, which tests replace. The real clock uses `setTimeout`: Node keeps timers of equal
 * duration in one list behind one kernel timer, and SIP uses about ten durations, so this is as efficient as a timer
 * wheel.
 */
export interface Clock {
  /** Milliseconds since the epoch, with a fraction if the clock supports it. */
  now(): number;
  /** Runs `task` once after `ms`. */
  after(ms: number, task: () => void): Timer;
}

export interface Timer {
  cancel(): void;
}

class SystemTimer implements Timer {
  readonly #handle: NodeJS.Timeout;
  constructor(ms: number, task: () => void) {
    this.#handle = setTimeout(task, ms);
  }
  cancel(): void {
    clearTimeout(this.#handle);
  }
}

export const systemClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  after: (ms, task) => new SystemTimer(ms, task),
};

/** `HH:MM:SS.uuuuuu`, UTC, without a date: the time format of control frames. */
export function formatFrameTime(now: number): string {
  const micros = Math.floor(now * 1000) % 86_400_000_000;
  const seconds = Math.floor(micros / 1_000_000);
  const two = (n: number): string => (n < 10 ? `0${n}` : `${n}`);
  const fraction = String(micros % 1_000_000).padStart(6, '0');
  return `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}.${fraction}`;
}

/** A clock that cancels its timers when it is closed and reports exceptions of its tasks. */
export class ScopedClock implements Clock {
  readonly #clock: Clock;
  readonly #failed: (error: unknown) => void;
  readonly #running = new Set<Timer>();

  constructor(clock: Clock, failed: (error: unknown) => void) {
    this.#clock = clock;
    this.#failed = failed;
  }

  get pending(): number {
    return this.#running.size;
  }

  now(): number {
    return this.#clock.now();
  }

  after(ms: number, task: () => void): Timer {
    const running = this.#running;
    const timer = this.#clock.after(ms, () => {
      running.delete(handle);
      try {
        task();
      } catch (error) {
        this.#failed(error);
      }
    });
    const handle: Timer = {
      cancel(): void {
        running.delete(handle);
        timer.cancel();
      },
    };
    running.add(handle);
    return handle;
  }

  close(): void {
    for (const timer of [...this.#running]) timer.cancel();
  }
}
