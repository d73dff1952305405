/**
 * The delay that relaying adds to a packet while a relay is half busy: many calls from one process as load, a few from another that is idle
 * enough to measure time exactly (the sending time is in the payload). Ours and rtpengine in alternating rounds.
 */
import { cpuBetween, usageOf } from '../calls/processes.ts';
import { hasRtpengine } from '../calls/rtpengine.ts';
import { Ends } from './ends-process.ts';
import { OurNode } from './our-node.ts';
import type { Plan, LogProgress } from './plan.ts';
import { Relay } from './relay.ts';
import type { Row } from './rows.ts';
import { connectAll, type System } from './system.ts';

const SETTLE_MS = 500;
const PROBES = 4;
/** As many as rtpengine has threads. */
const WORKERS = '2';
const ROUNDS_PER_ROUND = 3;

interface Contender {
  system: System;
  load: Ends;
  probe: Ends;
  p99Ms: number[];
  cpuShares: number[];
  lost: number;
}

export async function measureDelay(plan: Plan, log: LogProgress): Promise<Row[]> {
  const contenders: Contender[] = [];
  const contend = async (system: System) => {
    const contender = { system, load: new Ends(), probe: new Ends(), p99Ms: [], cpuShares: [], lost: 0 };
    contenders.push(contender);
    log(`setting up ${plan.delayCalls} calls of load and ${PROBES} to measure: ${system.name}`);
    await connectAll(system, contender.load, 1, plan.delayCalls);
    await connectAll(system, contender.probe, plan.delayCalls + 1, plan.delayCalls + PROBES);
    return contender;
  };
  try {
    const env = { CLARION_MEDIA_WORKERS: WORKERS };
    const node = await OurNode.start('ours', { local: false, env });
    const ours = await contend(node);
    await node.handedOver(plan.delayCalls + PROBES);
    const peer = plan.peers && hasRtpengine() ? await contend(await Relay.start()) : null;
    // Short and many, so that a disturbance of the machine affects a round and not the result.
    for (let round = 1; round <= plan.rounds * ROUNDS_PER_ROUND; round += 1)
      for (const contender of contenders) {
        await measureOnce(contender, plan.seconds / ROUNDS_PER_ROUND);
        log(`round ${round}: ${contender.system.name} delay p99 ${contender.p99Ms.at(-1)?.toFixed(1)} ms`);
      }
    const share = ({ cpuShares }: Contender) =>
      `${((cpuShares.reduce((sum, each) => sum + each, 0) / cpuShares.length) * 100).toFixed(0)} %`;
    return [
      {
        name: `delay, p99, with ${plan.delayCalls} calls of load`,
        unit: 'ms',
        ours: ours.p99Ms,
        peer: peer && { name: 'rtpengine', figures: peer.p99Ms },
        goal: 1,
        limit: 1,
        lost: { ours: ours.lost, peer: peer?.lost ?? 0 },
        note: `of one core, ours took ${share(ours)}${peer ? `, rtpengine ${share(peer)}` : ''}; the worse direction; with the ends' own delay`,
      },
    ];
  } finally {
    for (const { system, load, probe } of contenders) {
      await load.close();
      await probe.close();
      await system.stop();
    }
  }
}

async function measureOnce(contender: Contender, seconds: number): Promise<void> {
  const usage = () => usageOf({ all: contender.system.pid });
  const before = usage();
  const startedAt = performance.now();
  const loading = contender.load.measure(SETTLE_MS, seconds * 1000);
  const probed = await contender.probe.measure(SETTLE_MS, seconds * 1000);
  const loaded = await loading;
  const took = (performance.now() - startedAt) / 1000;
  contender.cpuShares.push((cpuBetween(before, usage()).all ?? Number.NaN) / took);
  const { toAgent, toCaller } = probed;
  contender.p99Ms.push(Math.max(toAgent.delayMs.p99, toCaller.delayMs.p99));
  contender.lost += toAgent.lost + toCaller.lost + loaded.toAgent.lost + loaded.toCaller.lost;
}
