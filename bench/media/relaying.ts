/** Relaying calls, ours and rtpengine in alternating rounds: CPU per packet, and loss. */
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuBetween, usageOf } from '../calls/processes.ts';
import { hasRtpengine } from '../calls/rtpengine.ts';
import type { Audio } from './ends.ts';
import { Ends } from './ends-process.ts';
import { OurNode } from './our-node.ts';
import type { Plan, LogProgress } from './plan.ts';
import { Relay } from './relay.ts';
import type { Row } from './rows.ts';
import { connectAll, type System } from './system.ts';

/** Audio runs this long before it is measured. */
const SETTLE_MS = 1_000;
const HANDED_OVER = { goal: 1, limit: 1.5 };
const LOCAL = { goal: 3.5, limit: 3.5 };

interface Contender {
  system: System;
  ends: Ends;
  rounds: { cpuUsPerPacket: number; lost: number }[];
}

export async function measureRelaying(plan: Plan, log: LogProgress): Promise<Row[]> {
  const contenders: Contender[] = [];
  const contend = async (system: System): Promise<Contender> => {
    const contender = { system, ends: new Ends(), rounds: [] };
    contenders.push(contender);
    log(`setting up ${plan.calls} calls: ${system.name}`);
    await connectAll(system, contender.ends, 1, plan.calls);
    return contender;
  };
  try {
    const node = await OurNode.start('handed over', { local: false });
    const handedOver = await contend(node);
    await node.handedOver(plan.calls);
    const local = await contend(await OurNode.start('local', { local: true }));
    const relay = plan.peers && hasRtpengine() ? await contend(await Relay.start()) : null;
    if (!relay) log('rtpengine is not measured (Debian: rtpengine-daemon)');
    for (let round = 1; round <= plan.rounds; round += 1)
      for (const contender of contenders) {
        const figures = await measureOnce(contender, plan.seconds);
        contender.rounds.push(figures);
        log(`round ${round}: ${contender.system.name} ${figures.cpuUsPerPacket.toFixed(1)} µs a packet`);
      }
    return [
      rowOf('a packet of a call on the mediasoup endpoint (SRTP to RTP)', handedOver, relay, HANDED_OVER),
      rowOf('a packet of a call on the local endpoint (SRTP to RTP)', local, relay, LOCAL),
    ];
  } finally {
    for (const { system, ends } of contenders) {
      await ends.close();
      await system.stop();
    }
  }
}

/** CPU of a process and its children per packet that it sent, while calls have audio. */
export async function measureOnce(
  { system, ends }: Pick<Contender, 'system' | 'ends'>,
  seconds: number,
): Promise<{ cpuUsPerPacket: number; cpuShare: number; lost: number; audio: Audio }> {
  const usage = () => usageOf({ all: system.pid });
  const measuring = ends.measure(SETTLE_MS, seconds * 1000);
  await sleep(SETTLE_MS);
  const before = usage();
  const startedAt = performance.now();
  await sleep(seconds * 1000);
  const took = (performance.now() - startedAt) / 1000;
  const cpu = cpuBetween(before, usage()).all ?? Number.NaN;
  const audio = await measuring;
  const { toAgent, toCaller } = audio;
  const packets = (toAgent.received + toCaller.received) * (took / seconds);
  const wrong = toAgent.wrong + toCaller.wrong;
  if (wrong > 0) throw new Error(`${system.name}: ${wrong} packets contained another call's payload`);
  return {
    cpuUsPerPacket: (cpu * 1e6) / packets,
    cpuShare: cpu / took,
    lost: toAgent.lost + toCaller.lost,
    audio,
  };
}

function rowOf(
  name: string,
  ours: Contender,
  peer: Contender | null,
  bounds: { goal: number; limit: number },
): Row {
  const lostBy = (contender: Contender | null) =>
    contender?.rounds.reduce((sum, { lost }) => sum + lost, 0) ?? 0;
  const figures = (contender: Contender) => contender.rounds.map(({ cpuUsPerPacket }) => cpuUsPerPacket);
  return {
    name,
    unit: 'µs of CPU',
    ours: figures(ours),
    peer: peer && { name: 'rtpengine', figures: figures(peer) },
    ...bounds,
    lost: { ours: lostBy(ours), peer: lostBy(peer) },
  };
}
