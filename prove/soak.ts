/** Limited random traffic; checks every invariant, leaks and every figure of the reports: `npm run prove -- soak --minutes 30`. */
import { parseArgs } from 'node:util';
import { runSoak } from './soak/run.ts';
import { soakReport } from './soak/report.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    agents: { type: 'string', default: '12' },
    browsers: { type: 'string', default: '1' },
    callers: { type: 'string', default: '10' },
    'kill-every': { type: 'string', default: '60' },
    'one-node': { type: 'boolean', default: false },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const killEverySeconds = Number(values['kill-every']);
const plan = {
  seconds: Number(values.minutes) * 60,
  seed: Number(values.seed),
  agents: Number(values.agents),
  supervisors: 2,
  browsers: Number(values.browsers),
  callers: Number(values.callers),
  killEverySeconds: killEverySeconds > 0 ? killEverySeconds : null,
  twoNodes: !values['one-node'],
};
const result = await runSoak(plan, (line) => process.stderr.write(`… ${line}\n`));
process.stdout.write(soakReport(plan, result));
process.exit(result.wrong.length === 0 ? 0 : 1);
