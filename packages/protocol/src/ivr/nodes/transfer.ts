/**
 * ivr_transfer: hands the caller to a queue or to one agent, by numeric id. `overflow` is taken when nobody took the call; without
 * an edge there the call ends as in any queue (TIMEOUT), or IVR_AGENT_NO_ANSWER for an agent. `skills`: what a member of the queue
 * must have to be offered the call, until the queue's skills_wait_seconds are over.
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
