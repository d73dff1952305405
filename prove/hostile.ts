/**
 * Attacks from outside on a running copy, by family: no process terminates, no agent loses its socket, and new calls ring within a second.
 */
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { runHostile } from './hostile/run.ts';
import { bootScene } from './hostile/scene.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    scale: { type: 'string', default: '1' },
  },
});
const plan = { seed: Number(values.seed), scale: Number(values.scale) };
const say = (line: string) => process.stdout.write(`${line}\n`);

say(`seed ${plan.seed}; ${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}`);
const t = await bootScene();
try {
  const { families, wrong } = await runHostile(t, plan, say);
  say(`${families.length} families of attacks`);
  say(wrong.length === 0 ? 'proved' : `not proved:\n${wrong.map((line) => `  ${line}`).join('\n')}`);
  process.exitCode = wrong.length === 0 ? 0 : 1;
} finally {
  await t.stop();
}
process.exit();
