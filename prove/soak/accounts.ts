/** Compares every figure of the service with a recount of the events that the webhook received. */
import { setTimeout as sleep } from 'node:timers/promises';
import { callDetail, type CallDetail, type CallView } from '@clarion/protocol/call';
import type { CallStats } from '@clarion/protocol/v1/call/calls';
import type { QueueResource } from '@clarion/protocol/v1/tenant/queues';
import type { AgentFigures, CallReport, LiveQueue } from '@clarion/protocol/v1/report/reports';
import { endLiveCalls } from '@clarion/testkit/stack/call-centre';
import type { TestStack } from '@clarion/testkit/stack/stack';
import type { Soak } from './lives.ts';
import {
  callsTold,
  complaintsOf,
  differences,
  recountAgents,
  recountAvailable,
  recountCalls,
  recountLive,
  recountStats,
} from './recount.ts';
import { TENANT } from './fixture.ts';

const EVENTS_WITHIN_MS = 60_000;
const at = `/v1/tenants/${TENANT}`;

/** Compares every call in the received events with the call list, the reports and each call's detail. */
export async function accounts(soak: Soak) {
  const { t, fixture } = soak;
  await endLiveCalls(t, TENANT);
  const listed = await allCalls(t);
  const pending = () => t.db.eventDelivery.count();
  const deadline = performance.now() + EVENTS_WITHIN_MS;
  while ((await pending()) > 0 && performance.now() < deadline) await sleep(200);
  const told = callsTold(t.webhooks.events());
  const details = new Map<number, CallDetail>();
  const wrong: string[] = t.webhooks.deliveries.some(({ signatureValid }) => !signatureValid)
    ? ['an event had an invalid signature']
    : [];
  for (const { callId } of listed) {
    const detail = callDetail.parse(await t.v1.okInTime('GET', `/v1/calls/${callId}`));
    details.set(callId, detail);
    const own = told.get(callId);
    if (!own) wrong.push(`there is no event of call ${callId}`);
    else
      wrong.push(...complaintsOf(own), ...differences(`call ${callId}`, plain(detail.call), plain(own.last)));
    wrong.push(...complaintsOfDetail(detail));
  }
  const views = [...told.values()].map(({ last }) => last);
  const { stats } = await t.v1.okInTime<{ stats: CallStats }>('GET', `${at}/calls?stats=true`);
  const report = await t.v1.okInTime<CallReport>('GET', `${at}/reports/calls?interval=hour`);
  const askedAt = Date.now();
  const { agents } = await t.v1.okInTime<{ agents: AgentFigures[] }>('GET', `${at}/reports/agents`);
  wrong.push(
    ...differences('call list stats', stats, recountStats(views)),
    ...differences('reports/calls', report.totals, recountCalls(views, details)),
  );
  for (const name of ['total', 'answered', 'talkSeconds', 'offered', 'abandoned'] as const) {
    const sum = report.buckets.reduce((total, bucket) => total + bucket[name], 0);
    if (sum !== report.totals[name]) wrong.push(`reports/calls: the buckets' ${name} add up to ${sum}`);
  }
  wrong.push(...(await liveDifferences(t, fixture.inBrowsers)));
  const available = recountAvailable(t.webhooks.events(), askedAt);
  for (const counted of recountAgents(fixture.agentIds, told, details)) {
    const reported = agents.find(({ agentRef }) => agentRef === counted.agentRef);
    if (!reported) wrong.push(`reports/agents leaves out ${counted.agentRef}`);
    else wrong.push(...differences(`reports/agents ${counted.agentRef}`, reported, counted));
    const seconds = available.get(counted.agentRef) ?? 0;
    if (reported && Math.abs(reported.availableSeconds - seconds) > AVAILABLE_SLACK_SECONDS)
      wrong.push(
        `reports/agents ${counted.agentRef}: available ${reported.availableSeconds}, events say ${seconds}`,
      );
  }
  const outcomes = views.map(
    ({ direction, terminationReason, terminatedBy }) =>
      `${direction} ${String(terminationReason)} by ${String(terminatedBy)}`,
  );
  const byOutcome = new Map(
    [...Map.groupBy(outcomes, (outcome) => outcome)].map(([outcome, all]) => [outcome, all.length]),
  );
  return { calls: listed.length, byOutcome, wrong };
}

/** Compares reports/live after all calls have ended. The browsers of `gone` have been closed. */
async function liveDifferences(t: TestStack, gone: readonly string[]): Promise<string[]> {
  const { queues, liveCalls } = await t.v1.okInTime<{ queues: LiveQueue[]; liveCalls: number }>(
    'GET',
    `${at}/reports/live`,
  );
  const wrong = liveCalls === 0 ? [] : [`reports/live: ${liveCalls} live calls at rest`];
  for (const { ref, waiting, longestWaitSeconds, agents } of queues) {
    const { queue } = await t.v1.okInTime<{ queue: QueueResource }>('GET', `${at}/queues/${ref}`);
    const members = queue.members.map(({ agentRef }) => agentRef);
    wrong.push(
      ...differences(
        `reports/live ${ref}`,
        { waiting, longestWaitSeconds },
        { waiting: 0, longestWaitSeconds: null },
      ),
      ...differences(`reports/live ${ref}`, agents, recountLive(t.webhooks.events(), members, gone)),
    );
  }
  return wrong;
}

/** An agent who is assigned a call while OFFLINE is ON_CALL in the events, and not available in the report. */
const AVAILABLE_SLACK_SECONDS = 15;

const plain = (view: CallView): object =>
  Object.fromEntries(Object.entries(view).map(([name, value]) => [name, JSON.stringify(value)]));

/** No agent is offered a call they declined, and nothing of an ended call is still open. */
function complaintsOfDetail({ call, events, participants, legs, transfers }: CallDetail): string[] {
  const declined = new Set<number>();
  const complaints: string[] = [];
  for (const { type, agentId } of events) {
    if (type === 'DECLINED' && agentId !== null) declined.add(agentId);
    if (type === 'OFFERED' && agentId !== null && declined.has(agentId) && transfers.length === 0)
      complaints.push(`call ${call.callId} was offered again to agent ${agentId}, who declined it`);
  }
  if (participants.some(({ leftAt }) => leftAt === null))
    complaints.push(`a participant never left call ${call.callId}`);
  for (const { type, state } of legs)
    if (state !== 'DISCONNECTED' && state !== 'FAILED')
      complaints.push(`leg ${type} of the ended call ${call.callId} is ${state}`);
  return complaints;
}

async function allCalls(t: TestStack): Promise<CallView[]> {
  const all: CallView[] = [];
  for (let before: number | null = 2 ** 31 - 1; before !== null;) {
    const page: { calls: CallView[]; nextBeforeId: number | null } = await t.v1.ok(
      'GET',
      `${at}/calls?limit=200&before_id=${before}`,
    );
    all.push(...page.calls);
    before = page.nextBeforeId;
  }
  return all;
}
