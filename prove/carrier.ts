/** Calls with carriers that act in random order, on a network that loses, repeats and delays messages: `npm run prove -- carrier --calls 500 --seed 7`. */
import { parseArgs } from 'node:util';
import { TestStack } from '@clarion/testkit/stack/stack';
import { routeCustomers } from '../tests/e2e/outcomes/phone-scene.ts';
import { runCarrier } from './carrier/run.ts';

const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '500' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    'at-once': { type: 'string', default: '8' },
    replays: { type: 'string', default: '20' },
  },
});
const say = (line: string) => process.stdout.write(`${line}\n`);

const t = await TestStack.boot({ env: { CLARION_LOG_LEVEL: 'warn' } });
let problems = 0;
try {
  routeCustomers(t);
  say(`seed ${values.seed}`);
  const started = performance.now();
  const { wrong, calls } = await runCarrier(
    t,
    {
      calls: Number(values.calls),
      seed: Number(values.seed),
      atOnce: Number(values['at-once']),
      replays: Number(values.replays),
    },
    say,
  );
  problems = wrong.length;
  wrong.forEach(say);
  const seconds = Math.round((performance.now() - started) / 1000);
  say(`${calls} calls with random carriers in ${seconds} s, ${problems} failed`);
} finally {
  await t.stop();
}
process.exit(problems === 0 ? 0 : 1);
