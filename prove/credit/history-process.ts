/** Checks random histories of paid calls in a process of its own: `history-process.ts <database> <histories> <seed>`. */
import { checkHistory, histories } from '@clarion/core/billing/__fixtures__/credit-histories';
import { createDatabase } from '@clarion/db';
import fc from 'fast-check';

const [url = '', count = '0', seed = '0'] = process.argv.slice(2);
const SAY_EVERY = 100;

const db = createDatabase(url, { connections: 2 });
let done = 0;
const result = await fc.check(
  fc.asyncProperty(histories, async (history) => {
    await checkHistory(db, history);
    done += 1;
    if (done % SAY_EVERY === 0) process.send?.({ done: SAY_EVERY });
  }),
  { numRuns: Number(count), seed: Number(seed) },
);
process.send?.({ failure: result.failed ? fc.defaultReportMessage(result) : null });
await db.$disconnect();
process.disconnect();
