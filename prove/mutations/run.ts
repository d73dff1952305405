/** Mutated messages of every kind against a running copy: no process ends, and none grows. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestStack } from '@clarion/testkit/stack';
import type { ProcessName } from '../../scripts/lib/stack.mjs';
import { check, closeScene, openScene } from '../hostile/scene.ts';
import { Chance } from '../lib/chance.ts';
import { holdings } from '../soak/resources.ts';
import { audio, requests, sipOverTcp, sipOverUdp, sockets } from './senders.ts';
import type { Sender } from './senders.ts';

/** How much of all messages each kind is. */
const KINDS: readonly { name: string; share: number; send: Sender }[] = [
  { name: 'SIP over UDP', share: 0.35, send: sipOverUdp },
  { name: 'SIP over TCP', share: 0.1, send: sipOverTcp },
  { name: 'audio ports', share: 0.25, send: audio },
  { name: 'sockets', share: 0.15, send: sockets },
  { name: 'HTTP', share: 0.15, send: requests },
];
/** As much again is sent before memory is first looked at: caches fill (Next's holds 50 MB), and the heap finds its size. */
const WARM_UP_SHARE = 0.3;
const MOST_GROWTH_MB = 50;

export interface MutationsPlan {
  messages: number;
  seed: number;
  /** How long to let the processes collect their garbage before each look at their memory; null: memory is not compared. */
  settleMs: number | null;
}

export interface MutationsResult {
  memory: { name: ProcessName; warmMb: number; afterMb: number }[];
  offeredMs: number;
  wrong: string[];
}

export async function runMutations(
  t: TestStack,
  { messages, seed, settleMs }: MutationsPlan,
  tell: (line: string) => void,
): Promise<MutationsResult> {
  const scene = await openScene(t, seed);
  const chance = new Chance(seed);
  const wrong: string[] = [];
  const sendAll = async (total: number) => {
    for (const { name, share, send } of KINDS) {
      const started = performance.now();
      await send(scene, Math.round(total * share), chance.child());
      const seconds = (performance.now() - started) / 1000;
      tell(`${Math.round(total * share)} to ${name} in ${seconds.toFixed(1)} s`);
      for (const complaint of (await check(scene)).wrong)
        wrong.push(`after mutated messages to ${name}: ${complaint}`);
    }
  };
  if (settleMs !== null) await sendAll(messages * WARM_UP_SHARE);
  const warm = await settled(t, settleMs);
  await sendAll(messages);
  const after = await settled(t, settleMs);
  const memory = [...warm].map(([name, warmMb]) => ({ name, warmMb, afterMb: after.get(name) ?? Infinity }));
  for (const { name, warmMb, afterMb } of memory) {
    if (afterMb - warmMb >= MOST_GROWTH_MB)
      wrong.push(`${name} grew from ${warmMb.toFixed(0)} to ${afterMb.toFixed(0)} MB`);
  }
  const last = await check(scene);
  await closeScene(scene);
  return { memory, offeredMs: last.offeredMs, wrong: [...wrong, ...last.wrong] };
}

/** The least that each process held within the time: V8 collects most of the garbage of a burst only once it is idle. */
async function settled(t: TestStack, settleMs: number | null): Promise<Map<ProcessName, number>> {
  const least = new Map<ProcessName, number>();
  if (settleMs === null) return least;
  const deadline = performance.now() + settleMs;
  do {
    for (const [name, { rssMb }] of holdings(t))
      least.set(name, Math.min(rssMb, least.get(name) ?? Infinity));
    await sleep(Math.min(1_000, settleMs));
  } while (performance.now() < deadline);
  return least;
}
