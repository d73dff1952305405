/** Prices of numbers found in memory, compared with PostgreSQL's best statement: `npm run bench -- rating [--entries 400000] [--seconds 5]`. */
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { measureRating, MIN_RATIO, ratioOf, ratingReport } from './rating/measure.ts';

const { values } = parseArgs({
  options: {
    entries: { type: 'string', default: '400000' },
    seconds: { type: 'string', default: '5' },
  },
});
const plan = { entries: Number(values.entries), seconds: Number(values.seconds) };
const result = await measureRating(plan, (line) => process.stderr.write(`… ${line}\n`));
process.stdout.write(
  `${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}, ` +
    `load ${loadavg()[0]?.toFixed(1)}\n\n${ratingReport(result)}\n`,
);
if (ratioOf(result) < MIN_RATIO) {
  process.stderr.write(`NOT RIGHT: less than ${MIN_RATIO} times PostgreSQL's best\n`);
  process.exitCode = 1;
}
process.exit();
