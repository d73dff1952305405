/** Interval of the samples of an event loop's delay, in the metrics of each process, ms. Each sample wakes the process. */
export const LOOP_SAMPLE_MS = 100;
