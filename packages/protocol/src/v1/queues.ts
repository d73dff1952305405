/** Queues and their members. */
import { z } from 'zod';
import { queueStrategies } from '../enums.ts';
import type { QueueStrategy } from '../enums.ts';
import { shaped } from '../openapi/input-shape.ts';
import { skillList } from './skills.ts';
import { defineEndpoint } from './endpoint.ts';
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
  word,
} from './fields.ts';

const RING_TIMEOUT_SECONDS = { min: 5, max: 300, default: 20 };
const MAX_WAIT_SECONDS = { min: 5, max: 86_400, default: 300 };
const MAX_ACTIVE_CALLS = { min: 1, max: 10_000 };
const PRIORITY = { min: 1, max: 1000, default: 1 };
const WRAP_UP_SECONDS = { min: 0, max: 3_600, default: 0 };
const ANNOUNCE_EVERY_SECONDS = { min: 15, max: 600, default: 60 };
const SKILLS_WAIT_SECONDS = { min: 0, max: 86_400 };
const STRATEGY_NOTES: Record<QueueStrategy, string> = {
  ROUND_ROBIN: 'one agent at a time, longest idle first.',
  RING_ALL: 'all of them, the first to answer takes it.',
  PRIORITY: 'by the priority of the members.',
};
/** A key of a phone. */
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
      'For the strategy PRIORITY: 1 rings first.',
    ),
    skills: optional(skillList).describe(
      'What the member can do. A call that an IVR sends with skills goes only to members who have them all. Kept in lower case.',
    ),
  })
  .transform(({ agent_ref, priority, skills }) => ({ agentRef: agent_ref, priority, skills: skills ?? [] }));
/** Bounds what one statement names; no queue of the field's is near it. */
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
          message: 'is already in the list',
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
    strategy: orDefault(word(queueStrategies), 'ROUND_ROBIN').describe(
      queueStrategies.map((strategy) => `${strategy}: ${STRATEGY_NOTES[strategy]}`).join(' '),
    ),
    ring_timeout_seconds: orDefault(
      integer(RING_TIMEOUT_SECONDS.min, RING_TIMEOUT_SECONDS.max),
      RING_TIMEOUT_SECONDS.default,
    ).describe('How long an offered agent has to answer.'),
    max_wait_seconds: shaped(
      optionalOrNull(integer(MAX_WAIT_SECONDS.min, MAX_WAIT_SECONDS.max)).transform((value) =>
        value === undefined ? MAX_WAIT_SECONDS.default : value,
      ),
      { default: MAX_WAIT_SECONDS.default },
    ).describe('How long a call may wait. Null waits for ever; left out, the default applies.'),
    overflow_queue_ref: orNull(ref).describe(
      'Where a call goes after max_wait_seconds. Without one it ends TIMEOUT.',
    ),
    hold_audio_asset_id: orNull(integer(1, MAX_INTEGER)).describe(
      'An audio asset that callers who have been answered hear while they wait.',
    ),
    max_active_calls: orNull(integer(MAX_ACTIVE_CALLS.min, MAX_ACTIVE_CALLS.max)).describe(
      'How many calls of the queue are handled at once. Null: no cap.',
    ),
    wrap_up_seconds: orDefault(
      integer(WRAP_UP_SECONDS.min, WRAP_UP_SECONDS.max),
      WRAP_UP_SECONDS.default,
    ).describe('After a call of the queue no queue offers its agent another for this long. 0: no wrap-up.'),
    announce_position: orDefault(z.boolean(), false).describe(
      'Tells callers who have been answered (by an IVR or answer_while_waiting) how many are before them.',
    ),
    announce_wait: orDefault(z.boolean(), false).describe(
      'Tells callers who have been answered how long it may take.',
    ),
    announce_every_seconds: orDefault(
      integer(ANNOUNCE_EVERY_SECONDS.min, ANNOUNCE_EVERY_SECONDS.max),
      ANNOUNCE_EVERY_SECONDS.default,
    ).describe('How often, from the first announcement, which comes at once.'),
    callback_key: orNull(callbackKey).describe(
      'The key with which a caller who has been answered asks to be called back. Null: not offered.',
    ),
    skills_wait_seconds: orNull(integer(SKILLS_WAIT_SECONDS.min, SKILLS_WAIT_SECONDS.max)).describe(
      'After so much of its wait a call that asks for skills is offered to every member. Null: never.',
    ),
    answer_while_waiting: orDefault(z.boolean(), false).describe(
      'Answers callers when they enter the queue: they hear the hold audio instead of ringing, and their carrier charges them from then on.',
    ),
    members: optional(members).describe('Replaced as a whole; left out, the queue has none.'),
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
    summary: 'Creates or replaces a queue with its members. Every field left out goes back to its default.',
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
    summary: 'One queue.',
    answer: { status: 200, body: one },
    errors: ['not_found'],
    role: 'look',
    oneTenantSession: true,
    example: { path: pathExample, answer: { queue: example } },
  }),
  listQueues: defineEndpoint({
    method: 'GET',
    path: '/v1/tenants/{tenantRef}/queues',
    summary: 'Every queue of the tenant, oldest first.',
    answer: { status: 200, body: z.strictObject({ queues: z.array(queueResource) }) },
    errors: ['not_found'],
    role: 'look',
    oneTenantSession: true,
    example: { path: { tenantRef: 'acme' }, answer: { queues: [example] } },
  }),
  deleteQueue: defineEndpoint({
    method: 'DELETE',
    path,
    summary: 'Deletes a queue that no line, other queue, IVR flow or live call uses.',
    answer: { status: 204 },
    errors: ['not_found', 'in_use'],
    role: 'manage',
    oneTenantSession: true,
    example: { path: pathExample },
  }),
  putQueueMembers: defineEndpoint({
    method: 'PUT',
    path: '/v1/tenants/{tenantRef}/queues/{queueRef}/members',
    summary: 'Replaces the members of a queue as a whole.',
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
    summary: 'The members of a queue, by priority.',
    answer: { status: 200, body: memberList },
    errors: ['not_found'],
    role: 'look',
    oneTenantSession: true,
    example: { path: pathExample, answer: { members: membersExample } },
  }),
};
