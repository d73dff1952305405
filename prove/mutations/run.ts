/** Mutated messages of every kind against a running copy: no process ends, and no process grows. */
import type { TestStack } from '@clarion/testkit/stack/stack';
import type { ProcessName } from '@clarion/devkit/stack/stack';
import { check, closeScene, openScene } from '../hostile/scene.ts';
import { SeededRandom } from '../lib/seeded-random.ts';
import { holdings } from '../soak/resources.ts';
import { collectGarbage } from './collect-garbage.ts';
import { audio, requests, sipOverTcp, sipOverUdp, sockets } from './senders.ts';
import type { Sender } from './senders.ts';

/** Share of each kind among all messages. */
const KINDS: readonly { name: string; share: number; send: Sender; datagrams?: true }[] = [
  { name: 'SIP over UDP', share: 0.35, send: sipOverUdp, datagrams: true },
  { name: 'SIP over TCP', share: 0.1, send: sipOverTcp },
  { name: 'audio ports', share: 0.25, send: audio, datagrams: true },
  { name: 'sockets', share: 0.15, send: sockets },
  { name: 'HTTP', share: 0.15, send: requests },
];
/** A warm-up of the same size precedes the first measurement of memory: caches fill (Next's has 50 MB), and the heap reaches its size. */
const WARM_UP_SHARE = 0.3;
const MOST_GROWTH_MB = 50;

export interface MutationsPlan {
  messages: number;
  seed: number;
  /** Measured after a warm-up and at the end. The processes must have been started with `INSPECTED`. */
  compareMemory: boolean;
  datagramsOnly?: boolean;
}

export interface MutationsResult {
  memory: { name: ProcessName; warmMb: number; afterMb: number }[];
  offeredMs: number;
  wrong: string[];
}

export async function runMutations(
  t: TestStack,
  { messages, seed, compareMemory, datagramsOnly = false }: MutationsPlan,
  tell: (line: string) => void,
): Promise<MutationsResult> {
  const scene = await openScene(t, seed);
  const random = new SeededRandom(seed);
  const wrong: string[] = [];
  const kinds = KINDS.filter(({ datagrams = false }) => datagrams || !datagramsOnly);
  const shares = kinds.reduce((total, { share }) => total + share, 0);
  const sendAll = async (total: number) => {
    for (const { name, share, send } of kinds) {
      const started = performance.now();
      const count = Math.round((total * share) / shares);
      await send(scene, count, random.child());
      const seconds = (performance.now() - started) / 1000;
      tell(`${count} to ${name} in ${seconds.toFixed(1)} s`);
      for (const complaint of (await check(scene)).wrong)
        wrong.push(`after mutated messages to ${name}: ${complaint}`);
    }
  };
  if (compareMemory) await sendAll(messages * WARM_UP_SHARE);
  const warm = compareMemory ? await atRest(t) : new Map<ProcessName, number>();
  await sendAll(messages);
  const after = compareMemory ? await atRest(t) : warm;
  const memory = [...warm].map(([name, warmMb]) => ({ name, warmMb, afterMb: after.get(name) ?? Infinity }));
  for (const { name, warmMb, afterMb } of memory) {
    if (afterMb - warmMb >= MOST_GROWTH_MB)
      wrong.push(`${name} grew from ${warmMb.toFixed(0)} to ${afterMb.toFixed(0)} MB`);
  }
  const last = await check(scene);
  await closeScene(scene);
  return { memory, offeredMs: last.offeredMs, wrong: [...wrong, ...last.wrong] };
}

/** Memory of each process after garbage collection. */
async function atRest(t: TestStack): Promise<Map<ProcessName, number>> {
  await collectGarbage(t);
  return new Map([...holdings(t)].map(([name, { rssMb }]) => [name, rssMb]));
}
