/**
 * The time by the database's clock, which all hosts share. A host whose clock is close to it uses its own; if the two differ, the
 * difference is added. Without it, heartbeats and times written by hosts whose clocks differ by seconds could not be compared.
 */
import type { Database } from './index.ts';

/** Clocks that NTP keeps differ by less. */
const TOLERANCE_MS = 100;
const MEASURE_EVERY_MS = 10_000;
/** How many measurements are compared: those of the last 80 s. */
const MEASUREMENTS = 8;

/** The warning when the clock is corrected. */
export const CORRECTED = "the host's clock differs from the database's, whose time is used";

export interface Measurement {
  /** The database's clock minus the host's. */
  differenceMs: number;
  /** Half the round trip: the real difference is at most this far from the measured one. */
  errorMs: number;
}

/**
 * The difference according to the most accurate measurement. Measurements that contradict the latest are older than a change of one of the
 * clocks. Within the tolerance it is 0, so that times of one machine stay exact.
 */
export function correctionOf(measurements: readonly Measurement[]): number {
  const latest = measurements.at(-1);
  if (!latest) return 0;
  const contradicts = ({ differenceMs, errorMs }: Measurement) =>
    Math.abs(differenceMs - latest.differenceMs) > errorMs + latest.errorMs + TOLERANCE_MS;
  const best = measurements
    .slice(measurements.findLastIndex(contradicts) + 1)
    .reduce((least, each) => (each.errorMs < least.errorMs ? each : least), latest);
  return Math.abs(best.differenceMs) <= TOLERANCE_MS + best.errorMs ? 0 : Math.round(best.differenceMs);
}

export interface DatabaseClockOptions {
  /** Called when the difference from the host's clock begins, ends or changes by more than the tolerance. */
  onCorrected?: (correctionMs: number) => void;
  /** Default: the host's clock. */
  hostNow?: () => number;
}

export class DatabaseClock {
  readonly #db: Database;
  readonly #hostNow: () => number;
  readonly #onCorrected: (correctionMs: number) => void;
  #measurements: Measurement[] = [];
  #correctionMs = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(
    db: Database,
    { onCorrected = () => undefined, hostNow = Date.now }: DatabaseClockOptions = {},
  ) {
    this.#db = db;
    this.#onCorrected = onCorrected;
    this.#hostNow = hostNow;
  }

  readonly now = (): Date => new Date(this.#hostNow() + this.#correctionMs);

  /** Resolves after the first measurement, also if it failed. */
  async start(): Promise<void> {
    this.#timer = setInterval(() => void this.#measure(), MEASURE_EVERY_MS).unref();
    await this.#measure();
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
  }

  /** While the database is unreachable, the last difference is kept. */
  async #measure(): Promise<void> {
    const before = performance.now();
    const hostBefore = this.#hostNow();
    let rows: { ms: number }[];
    try {
      rows = await this.#db.$queryRaw<{ ms: number }[]>`
        select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`;
    } catch {
      return;
    }
    const errorMs = (performance.now() - before) / 2;
    for (const { ms } of rows) {
      const measurement = { differenceMs: ms - (hostBefore + errorMs), errorMs };
      this.#measurements = [...this.#measurements, measurement].slice(-MEASUREMENTS);
    }
    const previous = this.#correctionMs;
    this.#correctionMs = correctionOf(this.#measurements);
    if (Math.abs(this.#correctionMs - previous) > TOLERANCE_MS) this.#onCorrected(this.#correctionMs);
  }
}
