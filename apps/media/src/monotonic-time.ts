/**
 * The time of facts. The monotonic clock continues when the host's wall clock is set, so that the distances between the times of facts
 * are the real ones.
 */

/** Milliseconds since the process started. */
export const monotonicMs = (): number => performance.now();

/** The wall-clock time of the process's start plus the monotonic time since (ISO, ms). */
export const monotonicTime = (): string => new Date(performance.timeOrigin + monotonicMs()).toISOString();

/** The monotonic time of a value of `monotonicTime`; of an earlier process it is negative. */
export const clockMsOf = (at: string): number => Date.parse(at) - performance.timeOrigin;
