/** CPU per packet that the ICE bridge relays, next to two plain UDP sockets in Node: `npm run bench -- ice [--calls 40] [--rounds 5] [--seconds 4]`. */
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { complaints, iceReport, measureIce } from './ice/measure.ts';

const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '40' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
  },
});
const plan = {
  calls: Number(values.calls),
  rounds: Number(values.rounds),
  seconds: Number(values.seconds),
};
const rounds = await measureIce(plan, (line) => process.stderr.write(`… ${line}\n`));
process.stdout.write(
  `${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}, ` +
    `load ${loadavg()[0]?.toFixed(1)}, ${plan.calls} calls\n\n${iceReport(rounds)}\n`,
);
const wrong = complaints(rounds);
if (wrong.length > 0) {
  process.stderr.write(`NOT RIGHT:\n${wrong.map((line) => `  ${line}\n`).join('')}`);
  process.exitCode = 1;
}
