/** Reports. Each figure is defined where it stands. */
import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';
import { id, optional, queryInteger, queryTimestamp, ref, timestamp, word } from './fields.ts';
import { timeZone } from './time-zone.ts';
import { windowQuery } from './window.ts';

export const reportIntervals = ['HOUR', 'DAY', 'WEEK', 'MONTH'] as const;
export type ReportInterval = (typeof reportIntervals)[number];
const SERVICE_LEVEL_SECONDS = { min: 0, max: 3600, default: 20 };
/** A caller who gives up sooner never meant to wait: `shortAbandoned`. */
export const SHORT_ABANDON_SECONDS = 5;
export const MAX_BUCKETS = 1000;

const window = { from: optional(queryTimestamp), to: optional(queryTimestamp) };

export const callReportQuery = windowQuery({
  ...window,
  interval: optional(word(reportIntervals)),
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
/** A call belongs to the window and bucket in which it was created, whenever it ended. */
export const callFigures = z
  .strictObject({
    total: count.describe('Calls created in the bucket, both directions, live ones too.'),
    inbound: count,
    outbound: count,
    answered: count.describe('Calls in which agent and customer talked.'),
    missed: count.describe('Unanswered: NO_ANSWER, IVR_AGENT_NO_ANSWER, TIMEOUT, REJECTED or BUSY.'),
    lost: count.describe('Unanswered: CANCELLED, whoever cancelled.'),
    failed: count.describe('Unanswered: ended by an error.'),
    live: count.describe('Calls that have not ended.'),
    talkSeconds: count.describe('From the answer to the end, whole seconds of each call, added up.'),
    avgTalkSeconds: count.describe('talkSeconds per answered call, rounded; 0 when none was answered.'),
    offered: count.describe('Calls that entered a queue.'),
    answeredFromQueue: count.describe('Of the offered, those an agent answered.'),
    answeredWithin: count.describe(
      'Of those, the ones answered at most service_level_seconds after entering the first queue.',
    ),
    abandoned: count.describe('Of the offered, those whose caller hung up before an agent answered.'),
    abandonedAfterThreshold: count.describe(
      'Of those, the ones who waited longer than service_level_seconds.',
    ),
    shortAbandoned: count.describe(
      `Of the abandoned, the ones who waited less than ${SHORT_ABANDON_SECONDS} seconds.`,
    ),
    overflowed: count.describe(
      "Of the offered, those that moved to their queue's overflow queue, however they ended.",
    ),
    timedOut: count.describe('Of the offered, those that ended TIMEOUT: every max_wait_seconds was over.'),
    avgWaitSeconds: count
      .nullable()
      .describe(
        'Wait in queues per offered call, rounded: from entering the first queue to the answer or the end. Null when none was offered.',
      ),
    longestWaitSeconds: count.nullable(),
    serviceLevel: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .describe(
        'answeredWithin ÷ (answeredFromQueue + abandonedAfterThreshold), to 4 decimals; null when both are 0.',
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
      /** On the clock of the time zone. The first and the last may reach out of the window; only calls within are counted. */
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
      'Calls, both directions, in which the agent talked with the customer: answered, started or taken over by transfer.',
    ),
    missed: count.describe(
      "Offers that rang out or whose audio never came up, and calls to the agent's own line that could not ring (no device, do-not-disturb, busy).",
    ),
    declined: count.describe('Offers the agent declined.'),
    talkSeconds: count.describe(
      "The agent's own share of those calls: what the agents of a call talked adds up to the call.",
    ),
    avgTalkSeconds: count.describe('talkSeconds per answered call, rounded; 0 when none was answered.'),
    availableSeconds: count.describe(
      'Time within the window for which the agent had chosen AVAILABLE, on a call or not.',
    ),
  })
  .meta({ id: 'AgentFigures' });
export type AgentFigures = z.infer<typeof agentFigures>;

export const liveQueue = z
  .strictObject({
    queueId: id,
    ref: z.string(),
    name: z.string(),
    waiting: count.describe('Calls that wait in the queue, ringing at an agent or not.'),
    longestWaitSeconds: count
      .nullable()
      .describe('Of those, since entering their first queue; null when none waits.'),
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
      'Calls created from `from` (inclusive) to `to` (exclusive) by hour, day, week (from Monday) or month of a time zone: volumes, answered and abandoned, service level, waits. Empty buckets are there too. The same window of the call list has the same totals. Default: the last 30 days by day in UTC; at most 400 days and 1000 buckets. `queue_ref` takes the queue a call was in last. service_level_seconds is 20 unless given.',
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
      'Every agent with what they answered, missed and declined of the calls created in the window, talk time and available time. Deleted agents are listed while they have something in the window. Erasing or deleting a call takes its offers out of missed and declined.',
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
      'What goes on now: calls waiting and the longest wait, agents by queue, live calls of the tenant.',
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
