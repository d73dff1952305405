/** 10,000 INVITEs that claim to be a carrier's, from other addresses: none becomes a call, and each gets a rejection at most. */
import { parseArgs } from 'node:util';
import { runSpoofed } from './flood/spoofed.ts';
import { bootScene } from './hostile/scene.ts';

const { values } = parseArgs({
  options: {
    invites: { type: 'string', default: '10000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const say = (line: string) => process.stdout.write(`${line}\n`);
const plan = { invites: Number(values.invites), seed: Number(values.seed) };

say(`seed ${plan.seed}`);
const t = await bootScene();
try {
  const { answered, statuses, wrong } = await runSpoofed(t, plan);
  say(
    `${plan.invites} spoofed INVITEs, ${answered} answered: ${[...statuses].map(([status, count]) => `${count} with ${status}`).join(', ')}`,
  );
  say(wrong.length === 0 ? 'proved' : `not proved:\n${wrong.map((line) => `  ${line}`).join('\n')}`);
  process.exitCode = wrong.length === 0 ? 0 : 1;
} finally {
  await t.stop();
}
process.exit();
