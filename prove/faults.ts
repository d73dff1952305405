/** Calls with audio while each process is killed repeatedly: `npm run prove -- faults --calls 50 --whatsapp 10 --kills 20`. */
import { parseArgs } from 'node:util';
import type { ProcessName } from '@clarion/devkit/stack/stack';
import { faultsReport } from './faults/report.ts';
import { runFaults } from './faults/run.ts';

const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '50' },
    whatsapp: { type: 'string', default: '10' },
    kills: { type: 'string', default: '20' },
    only: { type: 'string', default: 'realtime,web,worker,postgres' },
    control: { type: 'string', default: '60' },
  },
});
const result = await runFaults(
  {
    calls: Number(values.calls),
    whatsApp: Number(values.whatsapp),
    kills: Number(values.kills),
    names: values.only.split(',') as ProcessName[],
    controlSeconds: Number(values.control),
  },
  (line) => process.stderr.write(`… ${line}\n`),
);
process.stdout.write(faultsReport(result));
process.exit(result.wrong.length === 0 ? 0 : 1);
