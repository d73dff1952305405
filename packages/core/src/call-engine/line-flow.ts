/** The flow that currently takes calls to a line. Without one, calls go to the line's queue. */
import { ivrStructure } from '@clarion/protocol/ivr/structure';
import type { Tx } from '@clarion/db';
import type { Flow } from '../ivr/flow-run.ts';
import { matchingTriggers } from '../ivr/triggers.ts';
import type { Member } from '../ivr/triggers.ts';
import { overflowChain } from './overflow-chain.ts';

export async function flowOfLine(
  tx: Tx,
  line: { id: number; inboundQueueId: number | null },
): Promise<Flow | null> {
  const flows = await tx.ivrFlow.findMany({
    where: { channelId: line.id, status: 'ACTIVE' },
    select: { id: true, triggerCondition: true },
  });
  if (flows.length === 0) return null;
  const members = line.inboundQueueId === null ? null : await membersOf(tx, line.inboundQueueId);
  const chosen = matchingTriggers(members)
    .map((trigger) => flows.find(({ triggerCondition }) => triggerCondition === trigger))
    .find((flow) => flow !== undefined);
  return chosen ? loadFlow(tx, chosen.id, line.inboundQueueId) : null;
}

async function membersOf(tx: Tx, queueId: number): Promise<Member[]> {
  const members = await tx.queueMember.findMany({
    where: { queueId, agent: { deletedAt: null } },
    select: { agent: { select: { shift: true, onCall: true, _count: { select: { connections: true } } } } },
  });
  return members.map(({ agent }) => ({
    connected: agent._count.connections > 0,
    available: agent.shift === 'AVAILABLE',
    onCall: agent.onCall,
  }));
}

async function loadFlow(tx: Tx, id: number, inboundQueueId: number | null): Promise<Flow> {
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
    lineQueue: inboundQueueId === null ? [] : await overflowChain(tx, inboundQueueId),
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
