/**
 * The time from an agent's click on "answer" to audio in both directions, in Chromium: `npm run bench -- answer [--calls 20] [--at-once]`.
 * With `--at-once`, the agent answers in the moment in which the call begins to ring.
 */
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { measureAnswers } from './answer/measure.ts';
import { answerReport, complaint } from './answer/report.ts';

const { values } = parseArgs({
  options: { calls: { type: 'string', default: '20' }, 'at-once': { type: 'boolean', default: false } },
});
const plan = { calls: Number(values.calls), atOnce: values['at-once'] };
const answers = await measureAnswers(plan, (line) => process.stderr.write(`… ${line}\n`));
process.stdout.write(
  `${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}, ` +
    `Chromium on the same machine, load ${loadavg()[0]?.toFixed(1)}, ${answers.length} calls\n\n${answerReport(answers)}\n`,
);
const wrong = complaint(answers);
if (wrong !== null) {
  process.stderr.write(`NOT RIGHT: ${wrong}\n`);
  process.exitCode = 1;
}
