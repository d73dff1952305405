/** A timer for a moment that may be further away than setTimeout can express. */

/** setTimeout's limit, about 24 days; a later moment is reached in several steps. */
const MAX_TIMER_MS = 2_147_483_647;

/** @returns a function that cancels the timer */
export function runAt(when: Date, { now }: { now: () => Date }, work: () => void): () => void {
  let timer: NodeJS.Timeout;
  const arm = () => {
    const left = when.getTime() - now().getTime();
    const step = Math.min(Math.max(0, left), MAX_TIMER_MS);
    timer = setTimeout(() => (left > MAX_TIMER_MS ? arm() : work()), step);
  };
  arm();
  return () => clearTimeout(timer);
}
