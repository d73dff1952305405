/** Connects 200 concurrent calls with audio both ways on this machine, including the load generator, without audible loss. */
import { measureCalls } from '../bench/calls/measure.ts';
import { callsReport, complaints } from '../bench/calls/report.ts';

const PLAN = { calls: 200, rate: 2, talkSeconds: 30 };

const result = await measureCalls(PLAN, (line) => process.stderr.write(`… ${line}\n`));
process.stdout.write(`${callsReport(result)}\n\n`);
const wrong = complaints(result);
process.stdout.write(
  wrong.length === 0 ? 'proved\n' : `not proved:\n${wrong.map((line) => `  ${line}\n`).join('')}`,
);
process.exit(wrong.length === 0 ? 0 : 1);
