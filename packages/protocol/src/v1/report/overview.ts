/** The dashboard's home page: the current activity of the account, what needs attention, and the go-live checklist. */
import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { optional, ref, timestamp } from '../fields/fields.ts';

const count = z.number().int();
/** Each agent is counted once, in however many queues they are. */
const agentCounts = z.strictObject({ available: count, onCall: count, offline: count });
const now = {
  liveCalls: count.describe('Calls that have not ended.'),
  waiting: count.describe('Callers who are waiting in a queue for an agent.'),
  longestWaitSeconds: count
    .nullable()
    .describe('How long the longest-waiting of these callers has waited, or null if no one is waiting.'),
  agents: agentCounts,
};

/**
 * What needs attention. WAITING_UNSTAFFED: callers wait in a queue without an agent who is available or on a call. DELIVERIES_FAILED:
 * events of the last 7 days whose delivery failed. RECORDINGS_FAILED: in the last day. TRUNK_DOWN: a trunk that is
 * disabled or suspended, whose carrier does not respond, or whose registration has failed. LINES_DISABLED: lines that carry no calls.
 * TENANT_SUSPENDED: its calls are rejected.
 */
export const attentionKinds = [
  'WAITING_UNSTAFFED',
  'DELIVERIES_FAILED',
  'RECORDINGS_FAILED',
  'TRUNK_DOWN',
  'LINES_DISABLED',
  'TENANT_SUSPENDED',
] as const;
export type AttentionKind = (typeof attentionKinds)[number];

const attention = z.strictObject({
  kind: z.enum(attentionKinds),
  /** Null: the whole account. */
  tenantRef: z.string().nullable(),
  count,
  /** The refs or names of the first few affected entities. */
  about: z.array(z.string()),
});
export type Attention = z.infer<typeof attention>;

export const overviewResource = z.strictObject({
  at: timestamp,
  now: z.strictObject(now),
  /** Of the calls created in the last 24 hours. */
  lastDay: z.strictObject({
    total: count,
    answered: count,
    abandoned: count.describe('Callers who hung up while waiting in a queue.'),
    hours: z.array(z.strictObject({ start: timestamp, total: count, answered: count })),
  }),
  tenants: z.array(
    z.strictObject({ ref: z.string(), name: z.string(), status: z.enum(['ACTIVE', 'SUSPENDED']), ...now }),
  ),
  attention: z.array(attention),
});
export type OverviewResource = z.infer<typeof overviewResource>;

const item = z.strictObject({ check: z.string(), tenantRef: z.string().optional(), message: z.string() });
export const checklistResource = z.strictObject({
  done: z.array(item),
  missing: z.array(item),
  /** The next steps, in order. */
  next: z.array(z.string()),
  /** Active tenants that were not checked; request each with `tenant_ref`. */
  tenantsLeft: count,
});
export type ChecklistResource = z.infer<typeof checklistResource>;

export const checklistQuery = z
  .object({ tenant_ref: optional(ref) })
  .transform(({ tenant_ref }) => ({ tenantRef: tenant_ref ?? null }));
export type ChecklistQuery = z.output<typeof checklistQuery>;

const nowExample = {
  liveCalls: 3,
  waiting: 1,
  longestWaitSeconds: 12,
  agents: { available: 2, onCall: 2, offline: 1 },
};

export const overviewEndpoints = {
  getOverview: defineEndpoint({
    method: 'GET',
    path: '/v1/overview',
    summary: 'Returns the current activity of the account, the last 24 hours, and what needs attention.',
    answer: { status: 200, body: z.strictObject({ overview: overviewResource }) },
    errors: [],
    role: 'view',
    oneTenantSession: true,
    example: {
      answer: {
        overview: {
          at: '2026-01-05T09:30:00.000Z',
          now: nowExample,
          lastDay: {
            total: 41,
            answered: 36,
            abandoned: 2,
            hours: [{ start: '2026-01-05T09:00:00.000Z', total: 7, answered: 6 }],
          },
          tenants: [{ ref: 'shop-1', name: 'Shop 1', status: 'ACTIVE', ...nowExample }],
          attention: [{ kind: 'LINES_DISABLED', tenantRef: 'shop-1', count: 1, about: ['old-line'] }],
        },
      },
    },
  }),
  getChecklist: defineEndpoint({
    method: 'GET',
    path: '/v1/checklist',
    summary:
      'Checks the account against the go-live checklist and returns what is done, what is missing and what to do next. The items about the whole account are returned only to users who may see its keys and webhook.',
    query: checklistQuery,
    answer: { status: 200, body: z.strictObject({ checklist: checklistResource }) },
    errors: ['not_found'],
    role: 'view',
    oneTenantSession: true,
    example: {
      answer: {
        checklist: {
          done: [{ check: 'signing_keys', message: '1 signing key.' }],
          missing: [
            {
              check: 'lines',
              tenantRef: 'shop-1',
              message: 'There is no active line, so calls can be neither received nor placed.',
            },
          ],
          next: ['Add a line with PUT /v1/tenants/{tenantRef}/channels/{channelRef} (guides/lines).'],
          tenantsLeft: 0,
        },
      },
    },
  }),
};
