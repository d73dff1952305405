/** Alternating rounds of the bridge and of the bare relay, each in a process of its own, with the same packets. */
import { setTimeout as sleep } from 'node:timers/promises';
import { spreadOf } from '../media/rows.ts';
import { IceEnds } from './ends.ts';
import { RelayProcess } from './relay-process.ts';

export interface IcePlan {
  calls: number;
  rounds: number;
  seconds: number;
}

export interface IceRound {
  kind: 'bridge' | 'bare';
  cpuUsPerPacket: number;
  lost: number;
}

/** Packets on their way arrive within this time. */
const SETTLE_MS = 500;

export async function measureIce(plan: IcePlan, log: (line: string) => void): Promise<IceRound[]> {
  const contenders: { kind: IceRound['kind']; ends: IceEnds; relay: RelayProcess }[] = [];
  const rounds: IceRound[] = [];
  try {
    for (const kind of ['bridge', 'bare'] as const) {
      const relay = new RelayProcess(kind);
      const ends = new IceEnds();
      contenders.push({ kind, ends, relay });
      for (let call = 0; call < plan.calls; call += 1) await relay.connect(await ends.add());
      await ends.reached();
      log(`${plan.calls} calls through ${kind}`);
    }
    for (let round = 1; round <= plan.rounds; round += 1)
      for (const { kind, ends, relay } of contenders) {
        const before = await relay.cpuUs();
        ends.send();
        await sleep(plan.seconds * 1_000);
        ends.silence();
        await sleep(SETTLE_MS);
        const { sent, received } = ends.take();
        const cpuUsPerPacket = ((await relay.cpuUs()) - before) / received;
        rounds.push({ kind, cpuUsPerPacket, lost: sent - received });
        log(`round ${round}: ${kind} ${cpuUsPerPacket.toFixed(1)} µs a packet`);
      }
  } finally {
    for (const { ends, relay } of contenders) {
      relay.stop();
      ends.close();
    }
  }
  return rounds;
}

export function iceReport(rounds: readonly IceRound[]): string {
  const line = (kind: IceRound['kind'], name: string) => {
    const own = rounds.filter((round) => round.kind === kind);
    const { median, lowest, highest } = spreadOf(own.map(({ cpuUsPerPacket }) => cpuUsPerPacket));
    const lost = own.reduce((sum, round) => sum + round.lost, 0);
    return `| ${name} | ${median.toFixed(1)} (${lowest.toFixed(1)} to ${highest.toFixed(1)}) | ${lost} |`;
  };
  return [
    '| | µs of CPU per packet, median (lowest to highest) | lost |',
    '|---|---|---|',
    line('bridge', 'the ICE bridge'),
    line('bare', 'two connected UDP sockets in Node'),
  ].join('\n');
}

export function complaints(rounds: readonly IceRound[]): string[] {
  return rounds.flatMap(({ kind, lost, cpuUsPerPacket }) => [
    ...(lost > 0 ? [`${kind}: ${lost} packets were lost`] : []),
    ...(Number.isFinite(cpuUsPerPacket) ? [] : [`${kind}: no packet arrived`]),
  ]);
}
