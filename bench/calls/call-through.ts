/** The same load for each program that our gateway is compared with. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { SipPhone } from '@clarion/test-phone/sip/phone';
import { cpuMsOfTree } from './processes.ts';

/** For this long the program is measured without calls first. */
const IDLE_MS = 10_000;

export interface PeerCost {
  /** CPU milliseconds per completed call, beside the idle program. */
  cpuMs: number;
  completed: number;
}

export async function callThrough(
  peer: { port: number; pid: number | undefined },
  near: SipPhone,
  calls: number,
  rate: number,
): Promise<PeerCost> {
  const { pid } = peer;
  if (pid === undefined) throw new Error('the program to compare with is not running');
  const used = async <T>(work: () => Promise<T>) => {
    const [cpuMs, startedAt] = [cpuMsOfTree(pid), performance.now()];
    const result = await work();
    return { result, cpuMs: cpuMsOfTree(pid) - cpuMs, ms: performance.now() - startedAt };
  };
  const idle = await used(() => sleep(IDLE_MS));
  const { result: completed, cpuMs, ms } = await used(() => placeCalls(near, peer.port, calls, rate));
  return { cpuMs: (cpuMs - (idle.cpuMs / idle.ms) * ms) / Math.max(1, completed), completed };
}

/** Places the calls and hangs each up once it is answered. @returns how many ended so */
async function placeCalls(near: SipPhone, port: number, calls: number, rate: number): Promise<number> {
  let completed = 0;
  const startedAt = performance.now();
  const all: Promise<void>[] = [];
  for (let index = 0; index < calls; index += 1) {
    await sleep(Math.max(0, startedAt + (index * 1000) / rate - performance.now()));
    all.push(
      near.call('100', { host: '127.0.0.1', port }).then(async (call) => {
        await call.answered();
        await call.hangUp();
        completed += 1;
      }),
    );
  }
  await Promise.allSettled(all);
  return completed;
}
