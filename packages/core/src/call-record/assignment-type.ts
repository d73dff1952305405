/** How a call reaches the agents to whom it is offered, other than by a transfer. */
import type { AssignmentType } from '@clarion/protocol';
import type { Call } from '@clarion/db';

/** @returns null: an outbound call, which its agent starts. A callback reaches its agent through the queue, although it is outbound. */
export function assignmentTypeOf(
  call: Pick<Call, 'direction' | 'callbackOf' | 'queueId'>,
): AssignmentType | null {
  if (call.direction === 'OUTBOUND') return call.callbackOf === null ? null : 'QUEUE';
  return call.queueId === null ? 'DIRECT' : 'QUEUE';
}
