/** 5,000 SIP requests a second from 50 addresses for a minute: running calls lose no packet, a carrier's calls ring, and no process grows. */
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { lostIn, runFlood } from './flood/run.ts';
import { bootScene } from './hostile/scene.ts';
import { collectGarbage, INSPECTED } from './mutations/collect-garbage.ts';

const { values } = parseArgs({
  options: {
    rate: { type: 'string', default: '5000' },
    sources: { type: 'string', default: '50' },
    seconds: { type: 'string', default: '60' },
    calls: { type: 'string', default: '4' },
    'carrier-rate': { type: 'string', default: '17' },
  },
});
const say = (line: string) => process.stdout.write(`${line}\n`);

say(`${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}`);
const t = await bootScene(INSPECTED);
try {
  const { control, flood, sent, sentPerSecond, memory, wrong } = await runFlood(
    t,
    {
      perSecond: Number(values.rate),
      sources: Number(values.sources),
      seconds: Number(values.seconds),
      calls: Number(values.calls),
      carrierPerSecond: Number(values['carrier-rate']),
      collectGarbage: () => collectGarbage(t),
    },
    say,
  );
  for (const [name, window] of Object.entries({ control, flood })) {
    const { toAgent, toCaller, placed, rang, slowestRingMs, seconds } = window;
    say(
      `${name}: ${seconds.toFixed(0)} s, ${toAgent.received + toCaller.received} packets received, ${lostIn(window)} lost; ` +
        `delay p99 ${toAgent.delayMs.p99.toFixed(1)} and ${toCaller.delayMs.p99.toFixed(1)} ms; ` +
        `${rang} of ${placed} calls of the carrier rang, the slowest after ${slowestRingMs.toFixed(0)} ms`,
    );
  }
  say(`${sent} requests sent, ${sentPerSecond.toFixed(0)} a second`);
  for (const { name, beforeMb, afterMb } of memory)
    say(`${name}: ${beforeMb.toFixed(0)} MB before, ${afterMb.toFixed(0)} MB after the flood`);
  say(wrong.length === 0 ? 'proved' : `not proved:\n${wrong.map((line) => `  ${line}`).join('\n')}`);
  process.exitCode = wrong.length === 0 ? 0 : 1;
} finally {
  await t.stop();
}
process.exit();
