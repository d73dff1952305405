/** The flow that currently takes calls to a line. Without one, calls go to the line's queue. */
import { ivrStructure } from '@clarion/protocol/ivr/structure';
import type { Database, Tx } from '@clarion/db';
import type { CalledLine } from '../call-store/load-invite.ts';
import type { OverflowHop } from '../queue-routing/overflow-hop.ts';
import type { Flow } from '../ivr/flow-run.ts';
import { isReachable, reachability } from '../agent/reachable.ts';
import { matchingTriggers } from '../ivr/triggers.ts';
import type { Member } from '../ivr/triggers.ts';
import { overflowChain } from './overflow-chain.ts';

export async function flowOfLine(
  tx: Tx | Database,
  line: Pick<CalledLine, 'flows' | 'inboundQueueId' | 'stops'>,
): Promise<Flow | null> {
  if (line.flows.length === 0) return null;
  const members = line.inboundQueueId === null ? null : await membersOf(tx, line.inboundQueueId);
  const chosen = matchingTriggers(members)
    .map((trigger) => line.flows.find(({ triggerCondition }) => triggerCondition === trigger))
    .find((flow) => flow !== undefined);
  return chosen ? loadFlow(tx, chosen.id, line.stops) : null;
}

async function membersOf(tx: Tx | Database, queueId: number): Promise<Member[]> {
  const members = await tx.queueMember.findMany({
    where: { queueId, agent: { deletedAt: null } },
    select: { agent: { select: { shift: true, onCall: true, ...reachability } } },
  });
  return members.map(({ agent }) => ({
    connected: isReachable(agent),
    available: agent.shift === 'AVAILABLE',
    onCall: agent.onCall,
  }));
}

async function loadFlow(tx: Tx | Database, id: number, lineQueue: OverflowHop[]): Promise<Flow> {
  const { structure, audioAssets, queues } = await tx.ivrFlow.findUniqueOrThrow({
    where: { id },
    select: {
      structure: true,
      audioAssets: {
        select: { audioAsset: { select: { id: true, pcm8kKey: true, durationSeconds: true } } },
      },
      queues: { select: { queueId: true } },
    },
  });
  const stops: [number, Flow['lineQueue']][] = [];
  for (const { queueId } of queues) stops.push([queueId, await overflowChain(tx, queueId)]);
  return {
    ivrFlowId: id,
    structure: withoutLayout(ivrStructure.parse(structure)),
    audio: Object.fromEntries(
      audioAssets.map(({ audioAsset }) => [
        audioAsset.id,
        { file: audioAsset.pcm8kKey, seconds: audioAsset.durationSeconds },
      ]),
    ),
    queues: Object.fromEntries(stops),
    lineQueue,
  };
}

/** Omits the positions and sizes that the flow builder stores with the nodes. */
const withoutLayout = ({ nodes, edges }: Flow['structure']): Flow['structure'] => ({
  nodes: nodes.map((node) => ({ id: node.id, type: node.type, data: node.data }) as typeof node),
  edges: edges.map(({ source, target, sourceHandle }) => ({
    source,
    target,
    ...(sourceHandle && { sourceHandle }),
  })),
});
