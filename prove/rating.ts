/** Prices of 1,000,000 random calls in a deck of 200,000 random prefixes, against an independent look-up and exact fractions. */
import { parseArgs } from 'node:util';
import { runRating } from './rating/run.ts';

const { values } = parseArgs({
  options: {
    prefixes: { type: 'string', default: '200000' },
    calls: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const say = (line: string) => process.stdout.write(`${line}\n`);
const plan = {
  prefixes: Number(values.prefixes),
  calls: Number(values.calls),
  seed: Number(values.seed),
};

say(`seed ${plan.seed}`);
const { entries, priced, unpriced, wrong } = runRating(plan, say);
say(`${plan.calls} calls in a deck of ${entries} entries: ${priced} priced, ${unpriced} without a price`);
say(wrong.length === 0 ? 'proved' : `not proved:\n${wrong.map((line) => `  ${line}`).join('\n')}`);
process.exitCode = wrong.length === 0 ? 0 : 1;
