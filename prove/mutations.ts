/**
 * 100,000 mutated SIP, audio, socket and HTTP messages against a running copy: no process terminates, and none grows by 50 MB. With
 * `--datagrams`: SIP and audio over UDP only, of which a million take minutes.
 */
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { bootScene } from './hostile/scene.ts';
import { INSPECTED } from './mutations/collect-garbage.ts';
import { runMutations } from './mutations/run.ts';

const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '100000' },
    datagrams: { type: 'boolean', default: false },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const plan = {
  messages: Number(values.messages),
  seed: Number(values.seed),
  compareMemory: true,
  datagramsOnly: values.datagrams,
};
const say = (line: string) => process.stdout.write(`${line}\n`);

say(`seed ${plan.seed}; ${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}`);
const t = await bootScene(INSPECTED);
try {
  const { memory, offeredMs, wrong } = await runMutations(t, plan, say);
  for (const { name, warmMb, afterMb } of memory) {
    say(`${name}: ${warmMb.toFixed(0)} MB after the warm-up, ${afterMb.toFixed(0)} MB at the end`);
  }
  say(`${plan.messages} messages; a new call offered after ${offeredMs.toFixed(0)} ms`);
  say(wrong.length === 0 ? 'proved' : `not proved:\n${wrong.map((line) => `  ${line}`).join('\n')}`);
  process.exitCode = wrong.length === 0 ? 0 : 1;
} finally {
  await t.stop();
}
process.exit();
