/** What `npm run prove -- fuzz` tells the test, and what the test tells it. */
import type { Tally } from './fuzz.ts';

declare module 'vitest' {
  interface ProvidedContext {
    fuzz?: { requests: number; seed: number };
  }
  interface TaskMeta {
    fuzz?: Tally;
  }
}
