/**
 * ivr_transfer: transfers the caller to a queue or an agent, by numeric ID. The exit is `overflow` if no agent answered; without an edge
 * the call ends with TIMEOUT (queue) or IVR_AGENT_NO_ANSWER (agent). `skills`: the skills that a member of the queue must have to be
 * offered the call, until the queue's skills_wait_seconds have passed.
 */
import { optional, required } from '../../v1/fields/fields.ts';
import { skillList } from '../../v1/tenant/skills.ts';
import { dataOf, defineNode, facts, lowercaseEnum, nodeId, targetTypes } from '../node.ts';

export const OVERFLOW = 'overflow';

export const transfer = defineNode({
  title: 'Transfer',
  data: dataOf({
    targetType: required(lowercaseEnum(targetTypes)),
    targetId: nodeId,
    skills: optional(skillList),
  }),
  facts: ({ targetType, targetId }) =>
    facts({ exits: [OVERFLOW], target: { type: targetType, id: targetId, field: 'targetId' } }),
});
