/**
 * The media path compared with its peers, in alternating rounds: relaying calls (rtpengine), three-party rooms (Janus), and mixing and
 * recording compared with their bare work.
 */
import { parseArgs } from 'node:util';
import { measureMedia } from './media/measure.ts';
import { fullPlan, quickPlan } from './media/plan.ts';
import { asJson, complaints, mediaReport } from './media/report.ts';

const { values } = parseArgs({
  options: {
    calls: { type: 'string' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    quick: { type: 'boolean', default: false },
    peers: { type: 'boolean', default: true },
    only: { type: 'string', multiple: true },
  },
  allowNegative: true,
});
const base = values.quick ? quickPlan : fullPlan;
const plan = {
  ...base,
  calls: Number(values.calls ?? base.calls),
  rounds: Number(values.rounds ?? base.rounds),
  seconds: Number(values.seconds ?? base.seconds),
  peers: values.peers,
  only: values.only ?? [],
};
const result = await measureMedia(plan, (line) => process.stderr.write(`… ${line}\n`));
process.stdout.write(`${mediaReport(result)}\n\n${JSON.stringify(asJson(result), null, 2)}\n`);
const wrong = complaints(result);
if (wrong.length > 0) {
  process.stderr.write(`NOT RIGHT:\n${wrong.map((line) => `  ${line}\n`).join('')}`);
  process.exitCode = 1;
}
