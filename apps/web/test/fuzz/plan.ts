/** The parameters that `npm run prove -- fuzz` passes to the test, and the results that it returns. */
import type { Tally } from './fuzz.ts';

declare module 'vitest' {
  interface ProvidedContext {
    fuzz?: { requests: number; seed: number };
  }
  interface TaskMeta {
    fuzz?: Tally;
  }
}
