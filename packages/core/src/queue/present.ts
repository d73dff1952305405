/** Queue row → resource. */
import type { MemberResource, QueueResource } from '@clarion/protocol/v1/tenant/queues';
import type { QueueRow } from './queue-of.ts';

export const presentMembers = (queue: QueueRow): MemberResource[] =>
  queue.members.map(({ agent, agentId, priority, skills }) => ({
    agentRef: agent.ref,
    agentId,
    priority,
    skills,
  }));

export const presentQueue = (queue: QueueRow): QueueResource => ({
  id: queue.id,
  ref: queue.ref,
  name: queue.name,
  strategy: queue.strategy,
  ringTimeoutSeconds: queue.ringTimeoutSeconds,
  maxWaitSeconds: queue.maxWaitSeconds,
  overflowQueueId: queue.overflowQueueId,
  holdAudioAssetId: queue.holdAudioAssetId,
  maxActiveCalls: queue.maxActiveCalls,
  wrapUpSeconds: queue.wrapUpSeconds,
  announcePosition: queue.announcePosition,
  announceWait: queue.announceWait,
  announceEverySeconds: queue.announceEverySeconds,
  callbackKey: queue.callbackKey,
  skillsWaitSeconds: queue.skillsWaitSeconds,
  answerWhileWaiting: queue.answerWhileWaiting,
  members: presentMembers(queue),
  createdAt: queue.createdAt.toISOString(),
  updatedAt: queue.updatedAt.toISOString(),
});
