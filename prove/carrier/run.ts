/** Many concurrent calls with random carriers. A failing call is repeated with smaller plans, to find the smallest that still fails. */
import type { TestStack } from '@clarion/testkit/stack/stack';
import { Chance } from '../lib/chance.ts';
import { planOf, smaller, type Plan } from './plan.ts';
import { playPlan } from './play.ts';

export interface CarrierRun {
  calls: number;
  seed: number;
  atOnce: number;
  /** Maximum number of repeated calls while reducing a failure. */
  replays: number;
}

const errorOf = (t: TestStack, plan: Plan): Promise<string | null> =>
  playPlan(t, plan).then(
    () => null,
    (error: unknown) => (error instanceof Error ? error.message.split('\n')[0] : String(error)) ?? 'unknown',
  );

/** The smallest plan that still fails. */
async function shrink(t: TestStack, plan: Plan, replays: number): Promise<Plan> {
  let smallest = plan;
  let candidates = smaller(plan);
  for (let count = 0; count < replays && candidates.length > 0; count += 1) {
    const [next, ...rest] = candidates;
    if (next && (await errorOf(t, next))) {
      smallest = next;
      candidates = smaller(next);
    } else candidates = rest;
  }
  return smallest;
}

export const tell = ({ seed, way, progress, steps, end, wire, audioLoss }: Plan): string =>
  JSON.stringify({ seed, way, progress, steps, end, wire, audioLoss });

/** Failures, each with the plan of its call. */
export async function runCarrier(
  t: TestStack,
  run: CarrierRun,
  say: (line: string) => void,
): Promise<{ wrong: string[]; calls: number }> {
  const chance = new Chance(run.seed);
  const plans = Array.from({ length: run.calls }, () => planOf(Math.floor(chance.next() * 2 ** 31)));
  const failed: { plan: Plan; message: string }[] = [];
  const waiting = [...plans];
  let done = 0;
  const lane = async () => {
    for (let plan = waiting.shift(); plan; plan = waiting.shift()) {
      const message = await errorOf(t, plan);
      if (message) {
        failed.push({ plan, message });
        say(`failed: ${message} ${tell(plan)}`);
      }
      done += 1;
      if (done % 50 === 0) say(`${done} calls, ${failed.length} wrong`);
    }
  };
  await Promise.all(Array.from({ length: run.atOnce }, lane));
  const wrong: string[] = [];
  for (const { plan, message } of failed) {
    const small = await shrink(t, plan, run.replays);
    wrong.push(`${message}; smallest plan ${tell(small)}`);
  }
  return { wrong, calls: plans.length };
}
