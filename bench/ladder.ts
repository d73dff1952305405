/** CPU that the SIP ladder adds to a call, by part: `npm run bench -- ladder [--calls 2000] [--rounds 5]`. */
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { ladderReport, measureLadder, MAX_MS_PER_CALL, totalOf } from './ladder/measure.ts';

const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '2000' },
    rounds: { type: 'string', default: '5' },
  },
});
const rounds = await measureLadder({ calls: Number(values.calls), rounds: Number(values.rounds) }, (line) =>
  process.stderr.write(`… ${line}\n`),
);
process.stdout.write(
  `${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}, ` +
    `load ${loadavg()[0]?.toFixed(1)}, ${values.calls} calls a round\n\n${ladderReport(rounds)}\n`,
);
if (totalOf(rounds) > MAX_MS_PER_CALL) {
  process.stderr.write(`NOT RIGHT: more than ${MAX_MS_PER_CALL} ms per call\n`);
  process.exitCode = 1;
}
process.exit();
