/** Runs each family of attacks against a running copy, and after each checks what must still hold. */
import type { TestStack } from '@clarion/testkit/stack/stack';
import type { Attack } from './attack.ts';
import { httpAttacks } from './http.ts';
import { check, closeScene, openScene } from './scene.ts';
import type { Scene } from './scene.ts';
import { slowSocketAttacks, socketAttacks } from './sockets.ts';
import { telephonyAttacks } from './telephony.ts';

export interface HostilePlan {
  seed: number;
  /** 1 in the long form. */
  scale: number;
}

export interface HostileResult {
  families: { name: string; seconds: number; offeredMs: number }[];
  wrong: string[];
}

export async function runHostile(
  t: TestStack,
  { seed, scale }: HostilePlan,
  tell: (line: string) => void,
): Promise<HostileResult> {
  const scene = await openScene(t, seed);
  const families: HostileResult['families'] = [];
  const wrong: string[] = [];
  const slow = slowSocketAttacks.map((attack) => attack.run(scene, scale));
  for (const attack of [...socketAttacks, ...httpAttacks, ...telephonyAttacks]) {
    const { complaints, ...family } = await runOne(scene, attack, scale);
    families.push(family);
    wrong.push(...complaints);
    tell(
      `${family.name}: ${family.seconds.toFixed(1)} s, a call offered after ${family.offeredMs.toFixed(0)} ms`,
    );
  }
  wrong.push(...(await Promise.all(slow)).flat(), ...(await check(scene)).wrong);
  await closeScene(scene);
  return { families, wrong };
}

async function runOne(scene: Scene, attack: Attack, scale: number) {
  const started = performance.now();
  const own = await attack.run(scene, scale);
  const seconds = (performance.now() - started) / 1000;
  const { wrong, offeredMs } = await check(scene);
  const complaints = [...own, ...wrong].map((line) => `after ${attack.name}: ${line}`);
  return { name: attack.name, seconds, offeredMs, complaints };
}
