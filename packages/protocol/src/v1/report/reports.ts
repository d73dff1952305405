/** Reports. The description of each figure defines it. */
import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { id, optional, queryInteger, queryTimestamp, ref, timestamp, enumField } from '../fields/fields.ts';
import { timeZone } from '../fields/time-zone.ts';
import { windowQuery } from '../fields/window.ts';

export const reportIntervals = ['HOUR', 'DAY', 'WEEK', 'MONTH'] as const;
export type ReportInterval = (typeof reportIntervals)[number];
const SERVICE_LEVEL_SECONDS = { min: 0, max: 3600, default: 20 };
/** Callers who hang up sooner are counted as `shortAbandoned`. */
export const SHORT_ABANDON_SECONDS = 5;
export const MAX_BUCKETS = 1000;

const window = { from: optional(queryTimestamp), to: optional(queryTimestamp) };

export const callReportQuery = windowQuery({
  ...window,
  interval: optional(enumField(reportIntervals)),
  timezone: optional(timeZone),
  queue_ref: optional(ref),
  channel_ref: optional(ref),
  service_level_seconds: optional(queryInteger(SERVICE_LEVEL_SECONDS.min, SERVICE_LEVEL_SECONDS.max)),
}).transform((query) => ({
  from: query.from ?? null,
  to: query.to ?? null,
  interval: query.interval ?? 'DAY',
  timezone: query.timezone ?? 'UTC',
  queueRef: query.queue_ref ?? null,
  channelRef: query.channel_ref ?? null,
  serviceLevelSeconds: query.service_level_seconds ?? SERVICE_LEVEL_SECONDS.default,
}));
export type CallReportQuery = z.output<typeof callReportQuery>;

export const agentReportQuery = windowQuery(window).transform(({ from, to }) => ({
  from: from ?? null,
  to: to ?? null,
}));
export type AgentReportQuery = z.output<typeof agentReportQuery>;

const count = z.number().int();
/** A call is counted in the window and bucket in which it was created, whenever it ended. */
export const callFigures = z
  .strictObject({
    total: count.describe('Calls created in the bucket, in both directions, including live calls.'),
    inbound: count,
    outbound: count,
    answered: count.describe('Calls in which an agent and the customer were connected.'),
    missed: count.describe(
      'Unanswered calls that ended with NO_ANSWER, IVR_AGENT_NO_ANSWER, TIMEOUT, REJECTED or BUSY.',
    ),
    lost: count.describe('Unanswered calls that ended with CANCELLED, whoever cancelled them.'),
    failed: count.describe('Unanswered calls that ended with an error.'),
    live: count.describe('Calls that have not ended.'),
    talkSeconds: count.describe('The sum of the time from answer to end, in whole seconds per call.'),
    avgTalkSeconds: count.describe('talkSeconds per answered call, rounded; 0 if no call was answered.'),
    offered: count.describe('Calls that entered a queue.'),
    answeredFromQueue: count.describe('Offered calls that an agent answered.'),
    answeredWithin: count.describe(
      'Calls from answeredFromQueue that were answered within service_level_seconds of entering their first queue.',
    ),
    abandoned: count.describe('Offered calls in which the caller hung up before an agent answered.'),
    abandonedAfterThreshold: count.describe(
      'Abandoned calls in which the caller waited longer than service_level_seconds.',
    ),
    shortAbandoned: count.describe(
      `Abandoned calls in which the caller waited less than ${SHORT_ABANDON_SECONDS} seconds.`,
    ),
    overflowed: count.describe('Offered calls that moved to an overflow queue, whatever their outcome.'),
    timedOut: count.describe(
      'Offered calls that ended with TIMEOUT because the maximum wait of their last queue had passed.',
    ),
    avgWaitSeconds: count
      .nullable()
      .describe(
        'The average wait per offered call, rounded, from entering the first queue to the answer or the end. Null if no call was offered.',
      ),
    longestWaitSeconds: count.nullable(),
    serviceLevel: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .describe(
        'answeredWithin ÷ (answeredFromQueue + abandonedAfterThreshold), to 4 decimal places; null if both are 0.',
      ),
  })
  .meta({ id: 'CallFigures' });
export type CallFigures = z.infer<typeof callFigures>;

export const callReport = z.strictObject({
  from: timestamp,
  to: timestamp,
  interval: z.enum(reportIntervals),
  timezone: z.string(),
  buckets: z.array(
    callFigures.extend({
      /** In the time zone. The first and the last bucket may extend beyond the window; only calls within the window are counted. */
      start: timestamp,
      end: timestamp,
    }),
  ),
  totals: callFigures,
  serviceLevel: z.strictObject({
    thresholdSeconds: count,
    answeredWithin: count,
    offered: count,
    ratio: z.number().min(0).max(1).nullable(),
  }),
});
export type CallReport = z.infer<typeof callReport>;

export const agentFigures = z
  .strictObject({
    agentId: id,
    agentRef: z.string(),
    name: z.string(),
    answered: count.describe(
      'Calls in both directions in which the agent was connected to the customer: calls answered, started or received by transfer.',
    ),
    missed: count.describe(
      "Offers that expired or whose audio could not be connected, and calls to the agent's personal line that could not ring (no device, do not disturb or busy).",
    ),
    declined: count.describe('Offers that the agent declined.'),
    talkSeconds: count.describe(
      "The agent's share of the talk time of these calls. The shares of all agents of a call add up to its talk time.",
    ),
    avgTalkSeconds: count.describe('talkSeconds per answered call, rounded; 0 if no call was answered.'),
    availableSeconds: count.describe(
      "The time within the window during which the agent's shift was AVAILABLE, on a call or not.",
    ),
  })
  .meta({ id: 'AgentFigures' });
export type AgentFigures = z.infer<typeof agentFigures>;

export const liveQueue = z
  .strictObject({
    queueId: id,
    ref: z.string(),
    name: z.string(),
    waiting: count.describe('Calls waiting in the queue, whether or not they are ringing an agent.'),
    longestWaitSeconds: count
      .nullable()
      .describe(
        'The longest wait of these calls since they entered their first queue; null if no call is waiting.',
      ),
    agents: z.strictObject({
      available: count.describe('Members who are connected, AVAILABLE and not on a call.'),
      onCall: count.describe('Members who are ON_CALL.'),
      offline: count.describe('All other members.'),
    }),
  })
  .meta({ id: 'LiveQueue' });
export type LiveQueue = z.infer<typeof liveQueue>;

const path = { tenantRef: 'acme' };
const figures: CallFigures = {
  total: 12,
  inbound: 9,
  outbound: 3,
  answered: 9,
  missed: 1,
  lost: 2,
  failed: 0,
  live: 0,
  talkSeconds: 1620,
  avgTalkSeconds: 180,
  offered: 9,
  answeredFromQueue: 7,
  answeredWithin: 6,
  abandoned: 2,
  abandonedAfterThreshold: 1,
  shortAbandoned: 1,
  overflowed: 1,
  timedOut: 0,
  avgWaitSeconds: 14,
  longestWaitSeconds: 48,
  serviceLevel: 0.75,
};

export const reportEndpoints = {
  reportCalls: defineEndpoint({
    method: 'GET',
    path: '/v1/tenants/{tenantRef}/reports/calls',
    summary:
      'Reports calls created from `from` (inclusive) to `to` (exclusive), grouped by hour, day, week (starting on Monday) or month in a time zone: call volumes, answered and abandoned calls, service level and wait times. Empty buckets are included. The totals match those of the call list for the same window. The default window is the last 30 days by day in UTC; the maximum is 400 days and 1000 buckets. `queue_ref` matches the last queue of a call. `service_level_seconds` defaults to 20.',
    query: callReportQuery,
    answer: { status: 200, body: callReport },
    errors: ['not_found'],
    role: 'supervise',
    oneTenantSession: true,
    example: {
      path,
      query: 'from=2026-01-05&to=2026-01-06&interval=day&timezone=Europe/London',
      answer: {
        from: '2026-01-05T00:00:00.000Z',
        to: '2026-01-06T00:00:00.000Z',
        interval: 'DAY',
        timezone: 'Europe/London',
        buckets: [{ start: '2026-01-05T00:00:00.000Z', end: '2026-01-06T00:00:00.000Z', ...figures }],
        totals: figures,
        serviceLevel: { thresholdSeconds: 20, answeredWithin: 6, offered: 9, ratio: 0.75 },
      },
    },
  }),
  reportAgents: defineEndpoint({
    method: 'GET',
    path: '/v1/tenants/{tenantRef}/reports/agents',
    summary:
      'Reports, for each agent, the answered, missed and declined calls among those created in the window, the talk time and the available time. Deleted agents are included if they have activity in the window. Erasing or deleting a call removes its offers from missed and declined.',
    query: agentReportQuery,
    answer: {
      status: 200,
      body: z.strictObject({ from: timestamp, to: timestamp, agents: z.array(agentFigures) }),
    },
    errors: ['not_found'],
    role: 'supervise',
    oneTenantSession: true,
    example: {
      path,
      query: 'from=2026-01-05&to=2026-01-06',
      answer: {
        from: '2026-01-05T00:00:00.000Z',
        to: '2026-01-06T00:00:00.000Z',
        agents: [
          {
            agentId: 7,
            agentRef: 'ada',
            name: 'Ada',
            answered: 9,
            missed: 1,
            declined: 0,
            talkSeconds: 1620,
            avgTalkSeconds: 180,
            availableSeconds: 21_600,
          },
        ],
      },
    },
  }),
  reportLive: defineEndpoint({
    method: 'GET',
    path: '/v1/tenants/{tenantRef}/reports/live',
    summary:
      'Returns the current state of the tenant: waiting calls and the longest wait, agents by queue, and live calls.',
    answer: {
      status: 200,
      body: z.strictObject({ queues: z.array(liveQueue), liveCalls: count }),
    },
    errors: ['not_found'],
    role: 'supervise',
    oneTenantSession: true,
    example: {
      path,
      answer: {
        queues: [
          {
            queueId: 3,
            ref: 'support',
            name: 'Support',
            waiting: 1,
            longestWaitSeconds: 12,
            agents: { available: 0, onCall: 1, offline: 1 },
          },
        ],
        liveCalls: 2,
      },
    },
  }),
};
