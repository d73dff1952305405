/** Calculations for axes. Pure. */

const STEPS = [1, 2, 2.5, 5, 10] as const;

/**
 * Round values from 0 to at least `max`, about `count` of them.
 * The step is at least 1 if all values are integers: there is no half call.
 */
export function ticksUpTo(max: number, count: number, whole: boolean): number[] {
  if (!(max > 0)) return [0, 1];
  const rough = max / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = (STEPS.find((one) => one * power >= rough) ?? 10) * power;
  const used = whole ? Math.max(1, Math.ceil(step)) : step;
  const last = Math.ceil(max / used - 1e-9);
  return Array.from({ length: last + 1 }, (_, index) => Number((index * used).toPrecision(12)));
}

/** Every n-th label of the x axis is shown, so that each has at least `minWidth` pixels. */
export function labelEvery(count: number, width: number, minWidth: number): number {
  return Math.max(1, Math.ceil((count * minWidth) / Math.max(1, width)));
}
