/** Queues and their members. */
import { z } from 'zod';
import { queueStrategies } from '../../enums.ts';
import type { QueueStrategy } from '../../enums.ts';
import { shaped } from '../../openapi/input-shape.ts';
import { skillList } from './skills.ts';
import { defineEndpoint } from '../endpoint.ts';
import {
  id,
  integer,
  MAX_INTEGER,
  NAME_MAX_CHARS,
  optional,
  optionalOrNull,
  orDefault,
  orNull,
  ref,
  required,
  text,
  timestamp,
  enumField,
} from '../fields/fields.ts';

const RING_TIMEOUT_SECONDS = { min: 5, max: 300, default: 20 };
const MAX_WAIT_SECONDS = { min: 5, max: 86_400, default: 300 };
const MAX_ACTIVE_CALLS = { min: 1, max: 10_000 };
const PRIORITY = { min: 1, max: 1000, default: 1 };
const WRAP_UP_SECONDS = { min: 0, max: 3_600, default: 0 };
const ANNOUNCE_EVERY_SECONDS = { min: 15, max: 600, default: 60 };
const SKILLS_WAIT_SECONDS = { min: 0, max: 86_400 };
const STRATEGY_NOTES: Record<QueueStrategy, string> = {
  ROUND_ROBIN: 'one agent at a time, the longest idle first.',
  RING_ALL: 'all available members at the same time; the first to answer gets the call.',
  PRIORITY: 'one agent at a time, in order of priority.',
};
/** A key of a telephone keypad. */
const callbackKey = shaped(
  z
    .string()
    .trim()
    .regex(/^[0-9*#]$/, { error: 'must be one key: 0 to 9, * or #' }),
  { more: { pattern: '^[0-9*#]$' } },
);

const member = z
  .object({
    agent_ref: required(ref),
    priority: orDefault(integer(PRIORITY.min, PRIORITY.max), PRIORITY.default).describe(
      'The priority for the strategy PRIORITY; members with priority 1 are offered calls first.',
    ),
    skills: optional(skillList).describe(
      'The skills of the member. A call that an IVR flow transfers with required skills is offered only to members who have all of them. Stored in lowercase.',
    ),
  })
  .transform(({ agent_ref, priority, skills }) => ({ agentRef: agent_ref, priority, skills: skills ?? [] }));
/** Limits the parameters of one statement; real queues are much smaller. */
const MAX_MEMBERS = 5_000;
const members = z
  .array(member)
  .max(MAX_MEMBERS)
  .check(({ value, issues }) => {
    const seen = new Set<string>();
    value.forEach(({ agentRef }, index) => {
      if (seen.has(agentRef)) {
        issues.push({
          code: 'custom',
          message: 'is listed more than once',
          path: [index, 'agent_ref'],
          input: agentRef,
        });
      }
      seen.add(agentRef);
    });
  });
export type MemberInput = z.output<typeof member>;

export const putQueueBody = z
  .object({
    name: required(text(NAME_MAX_CHARS)),
    strategy: orDefault(enumField(queueStrategies), 'ROUND_ROBIN').describe(
      queueStrategies.map((strategy) => `${strategy}: ${STRATEGY_NOTES[strategy]}`).join(' '),
    ),
    ring_timeout_seconds: orDefault(
      integer(RING_TIMEOUT_SECONDS.min, RING_TIMEOUT_SECONDS.max),
      RING_TIMEOUT_SECONDS.default,
    ).describe('How long an agent has to answer an offered call.'),
    max_wait_seconds: shaped(
      optionalOrNull(integer(MAX_WAIT_SECONDS.min, MAX_WAIT_SECONDS.max)).transform((value) =>
        value === undefined ? MAX_WAIT_SECONDS.default : value,
      ),
      { default: MAX_WAIT_SECONDS.default },
    ).describe('How long a call may wait. If null, the wait is unlimited; if omitted, the default applies.'),
    overflow_queue_ref: orNull(ref).describe(
      'The queue to which a call moves after max_wait_seconds. Without it, the call ends with TIMEOUT.',
    ),
    hold_audio_asset_id: orNull(integer(1, MAX_INTEGER)).describe(
      'The audio asset that callers hear while they wait, once they have been answered.',
    ),
    max_active_calls: orNull(integer(MAX_ACTIVE_CALLS.min, MAX_ACTIVE_CALLS.max)).describe(
      'The maximum number of calls from this queue that agents handle at the same time. If null, there is no limit.',
    ),
    wrap_up_seconds: orDefault(
      integer(WRAP_UP_SECONDS.min, WRAP_UP_SECONDS.max),
      WRAP_UP_SECONDS.default,
    ).describe(
      'The time after a call from this queue during which no queue offers its agent another call. 0 means no wrap-up.',
    ),
    announce_position: orDefault(z.boolean(), false).describe(
      'Announces their queue position to callers who have been answered by an IVR flow or by answer_while_waiting.',
    ),
    announce_wait: orDefault(z.boolean(), false).describe(
      'Announces the estimated wait time to callers who have been answered.',
    ),
    announce_every_seconds: orDefault(
      integer(ANNOUNCE_EVERY_SECONDS.min, ANNOUNCE_EVERY_SECONDS.max),
      ANNOUNCE_EVERY_SECONDS.default,
    ).describe('The time between announcements. The first one is played immediately.'),
    callback_key: orNull(callbackKey).describe(
      'The key that callers press to request a callback once they have been answered. If null, no callback is offered.',
    ),
    skills_wait_seconds: orNull(integer(SKILLS_WAIT_SECONDS.min, SKILLS_WAIT_SECONDS.max)).describe(
      'The wait after which a call that requires skills is offered to every member. If null, the skills are always required.',
    ),
    answer_while_waiting: orDefault(z.boolean(), false).describe(
      'Answers callers when they enter the queue. They hear the hold audio instead of ringing, and their carrier charges them from that moment. Callers of WhatsApp channels are always answered.',
    ),
    members: optional(members).describe(
      'The list is replaced as a whole. If omitted, the queue has no members.',
    ),
  })
  .transform((body) => ({
    name: body.name,
    strategy: body.strategy,
    ringTimeoutSeconds: body.ring_timeout_seconds,
    maxWaitSeconds: body.max_wait_seconds,
    overflowQueueRef: body.overflow_queue_ref,
    holdAudioAssetId: body.hold_audio_asset_id,
    maxActiveCalls: body.max_active_calls,
    wrapUpSeconds: body.wrap_up_seconds,
    announcePosition: body.announce_position,
    announceWait: body.announce_wait,
    announceEverySeconds: body.announce_every_seconds,
    callbackKey: body.callback_key,
    skillsWaitSeconds: body.skills_wait_seconds,
    answerWhileWaiting: body.answer_while_waiting,
    members: body.members ?? [],
  }));
export type PutQueue = z.output<typeof putQueueBody>;

export const putMembersBody = z.object({ members: required(members) });
export type PutMembers = z.output<typeof putMembersBody>;

export const memberResource = z.strictObject({
  agentRef: z.string(),
  agentId: id,
  priority: z.number().int(),
  skills: z.array(z.string()),
});
export type MemberResource = z.infer<typeof memberResource>;

export const queueResource = z.strictObject({
  id,
  ref: z.string(),
  name: z.string(),
  strategy: z.enum(queueStrategies),
  ringTimeoutSeconds: z.number().int(),
  maxWaitSeconds: z.number().int().nullable(),
  overflowQueueId: id.nullable(),
  holdAudioAssetId: id.nullable(),
  maxActiveCalls: z.number().int().nullable(),
  wrapUpSeconds: z.number().int(),
  announcePosition: z.boolean(),
  announceWait: z.boolean(),
  announceEverySeconds: z.number().int(),
  callbackKey: z.string().nullable(),
  skillsWaitSeconds: z.number().int().nullable(),
  answerWhileWaiting: z.boolean(),
  members: z.array(memberResource),
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type QueueResource = z.infer<typeof queueResource>;

const membersExample = [{ agentRef: 'ada', agentId: 7, priority: 1, skills: ['german'] }];
const example = {
  id: 3,
  ref: 'support',
  name: 'Support',
  strategy: 'ROUND_ROBIN',
  ringTimeoutSeconds: 20,
  maxWaitSeconds: 300,
  overflowQueueId: null,
  holdAudioAssetId: null,
  maxActiveCalls: null,
  wrapUpSeconds: 0,
  announcePosition: false,
  announceWait: false,
  announceEverySeconds: 60,
  callbackKey: null,
  skillsWaitSeconds: null,
  answerWhileWaiting: false,
  members: membersExample,
  createdAt: '2026-01-05T09:00:00.000Z',
  updatedAt: '2026-01-05T09:00:00.000Z',
};
const one = z.strictObject({ queue: queueResource });
const memberList = z.strictObject({ members: z.array(memberResource) });
const path = '/v1/tenants/{tenantRef}/queues/{queueRef}';
const pathExample = { tenantRef: 'acme', queueRef: 'support' };

export const queueEndpoints = {
  putQueue: defineEndpoint({
    method: 'PUT',
    path,
    summary: 'Creates or replaces a queue with its members. Every omitted field is reset to its default.',
    body: putQueueBody,
    answer: { status: 200, body: one },
    errors: ['not_found'],
    role: 'manage',
    oneTenantSession: true,
    example: {
      path: pathExample,
      body: {
        name: 'Support',
        strategy: 'ROUND_ROBIN',
        members: [{ agent_ref: 'ada', priority: 1, skills: ['german'] }],
      },
      answer: { queue: example },
    },
  }),
  getQueue: defineEndpoint({
    method: 'GET',
    path,
    summary: 'Returns a queue.',
    answer: { status: 200, body: one },
    errors: ['not_found'],
    role: 'view',
    oneTenantSession: true,
    example: { path: pathExample, answer: { queue: example } },
  }),
  listQueues: defineEndpoint({
    method: 'GET',
    path: '/v1/tenants/{tenantRef}/queues',
    summary: 'Lists all queues of the tenant, oldest first.',
    answer: { status: 200, body: z.strictObject({ queues: z.array(queueResource) }) },
    errors: ['not_found'],
    role: 'view',
    oneTenantSession: true,
    example: { path: { tenantRef: 'acme' }, answer: { queues: [example] } },
  }),
  deleteQueue: defineEndpoint({
    method: 'DELETE',
    path,
    summary: 'Deletes a queue that is not used by a channel, another queue, an IVR flow or a live call.',
    answer: { status: 204 },
    errors: ['not_found', 'in_use'],
    role: 'manage',
    oneTenantSession: true,
    example: { path: pathExample },
  }),
  putQueueMembers: defineEndpoint({
    method: 'PUT',
    path: '/v1/tenants/{tenantRef}/queues/{queueRef}/members',
    summary: 'Replaces all members of a queue.',
    body: putMembersBody,
    answer: { status: 200, body: memberList },
    errors: ['not_found'],
    role: 'manage',
    oneTenantSession: true,
    example: {
      path: pathExample,
      body: { members: [{ agent_ref: 'ada', priority: 1, skills: ['german'] }] },
      answer: { members: membersExample },
    },
  }),
  getQueueMembers: defineEndpoint({
    method: 'GET',
    path: '/v1/tenants/{tenantRef}/queues/{queueRef}/members',
    summary: 'Lists the members of a queue, ordered by priority.',
    answer: { status: 200, body: memberList },
    errors: ['not_found'],
    role: 'view',
    oneTenantSession: true,
    example: { path: pathExample, answer: { members: membersExample } },
  }),
};
