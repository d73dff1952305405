/**
 * Rooms of three participants who all speak and hear each other, ours and Janus's audio bridge in alternating rounds: one SIP or plain RTP
 * side, two browsers, G.711.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuBetween, usageOf } from '../calls/processes.ts';
import { Ends } from './ends-process.ts';
import { hasJanus, Janus } from './janus.ts';
import { hear, OurNode } from './our-node.ts';
import type { Plan, LogProgress } from './plan.ts';
import type { Row } from './rows.ts';

const SETTLE_MS = 2_000;
const BROWSERS = 2;

interface Contender {
  name: string;
  pid: number | undefined;
  ends: Ends;
  open: (room: number) => Promise<void>;
  stop: () => Promise<void>;
  figures: number[];
  lost: number;
}

export async function measureRooms(plan: Plan, log: LogProgress): Promise<Row[]> {
  const contenders: Contender[] = [await ours()];
  if (plan.peers && hasJanus()) contenders.push(await theirs());
  else log('Janus is not measured (Debian: janus)');
  try {
    for (const contender of contenders) {
      log(`opening ${plan.rooms} rooms of three: ${contender.name}`);
      for (let room = 1; room <= plan.rooms; room += 1) await contender.open(room);
    }
    for (let round = 1; round <= plan.rounds; round += 1)
      for (const contender of contenders) {
        await measureOnce(contender, plan);
        log(`round ${round}: ${contender.name} ${contender.figures.at(-1)?.toFixed(2)} ms a room and second`);
      }
  } finally {
    for (const { ends, stop } of contenders) {
      await ends.close();
      await stop();
    }
  }
  const [mine, peer] = contenders;
  if (!mine) return [];
  return [
    {
      name: 'one second of a room of three',
      unit: 'ms of CPU',
      ours: mine.figures,
      peer: peer ? { name: peer.name, figures: peer.figures } : null,
      goal: 1,
      limit: 1,
      lost: { ours: mine.lost, peer: peer?.lost ?? 0 },
    },
  ];
}

async function ours(): Promise<Contender> {
  const node = await OurNode.start('room', { local: false });
  const ends = new Ends();
  const open = async (room: number) => {
    const { carrier, agents } = await node.join(ends, room, BROWSERS);
    const all = [carrier, ...agents];
    const others = (one: string) => all.filter((other) => other !== one).map(hear);
    await node.route(room, Object.fromEntries(all.map((one) => [one, others(one)])));
  };
  return { name: 'ours', pid: node.pid, ends, open, stop: () => node.stop(), figures: [], lost: 0 };
}

async function theirs(): Promise<Contender> {
  const janus = await Janus.start();
  const ends = new Ends();
  const open = (room: number) => janus.room(ends, room, BROWSERS);
  return { name: 'Janus', pid: janus.pid, ends, open, stop: () => janus.stop(), figures: [], lost: 0 };
}

async function measureOnce(contender: Contender, { rooms, seconds }: Plan): Promise<void> {
  const usage = () => usageOf({ all: contender.pid });
  const talking = contender.ends.talk(SETTLE_MS, seconds * 1000);
  await sleep(SETTLE_MS);
  const before = usage();
  const startedAt = performance.now();
  await sleep(seconds * 1000);
  const took = (performance.now() - startedAt) / 1000;
  const cpu = cpuBetween(before, usage()).all ?? Number.NaN;
  const { misheard, lost } = await talking;
  if (misheard > 0)
    throw new Error(`${contender.name}: ${misheard} did not hear exactly the others of their room`);
  contender.figures.push((cpu * 1000) / took / rooms);
  contender.lost += lost;
}
