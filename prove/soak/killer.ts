/** Kills a process at random times, and waits until it is back. */
import type { ProcessName } from '@clarion/devkit/stack/stack';
import type { SeededRandom } from '../lib/seeded-random.ts';
import type { Soak } from './lives.ts';

export async function killNowAndThen(
  soak: Soak,
  random: SeededRandom,
  plan: { names: ProcessName[]; everyMs: number; untilMs: number },
): Promise<void> {
  const until = performance.now() + plan.untilMs;
  while (!soak.stopped) {
    await soak.pause(plan.everyMs * random.between(0.7, 1.3));
    if (soak.stopped || performance.now() > until) return;
    const name = random.pick(plan.names);
    soak.disturbed();
    soak.count(`killed ${name}`);
    await soak.t.stack.kill(name, name === 'postgres' ? 'SIGINT' : 'SIGKILL');
    await soak.t.stack.waitHealthy(name);
    soak.disturbed();
  }
}
