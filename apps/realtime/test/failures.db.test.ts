/**
 * Entries of the failure catalogue that a carrier cannot cause at will: what media reports about legs and INVITEs, over real sockets, becomes
 * the reason of the call in the API, or the code of a stored refusal.
 */
import { getCall } from '@clarion/core/call/get-call';
import type { FailureCode } from '@clarion/protocol';
import { failures } from '@clarion/protocol';
import type { InviteRequest, LegEnd } from '@clarion/protocol/media';
import { legEndOf } from '@clarion/testkit/peers/fake-media';
import type { FakeMedia } from '@clarion/testkit/peers/fake-media';
import { inviteRequest } from '@clarion/testkit/peers/invite-request';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Realtime } from '../src/server.ts';
import { apiOf } from './api.ts';
import { RealtimeFixture } from './fixture.ts';

/** Read by tests/failure-catalogue.test.ts: every entry of the catalogue is produced by a test. */
export const producedFailures: readonly FailureCode[] = [
  'source_invalid',
  'source_not_of_trunk',
  'ingress_host_unknown',
  'no_decision',
  'caller_cancelled',
  'overloaded',
  'trunk_call_limit',
  'answer_unusable',
  'tls_certificate',
  'carrier_no_response',
  'carrier_cancelled',
  'answer_not_acknowledged',
  'no_audio',
  'carrier_lost',
  'agent_no_audio',
  'agent_audio_failed',
  'maximum_duration',
  'service_error',
];

const MAX_CALL_SECONDS = 3;
/** Decisions that wait at a time before further INVITEs are rejected as overload (media/invite-gate.ts), with a margin. */
const SURGE = 1_200;
const SURGE_WITHIN_MS = 60_000;

let fixture: RealtimeFixture;
let node: Realtime & { url: string };
let media: FakeMedia;
let agents = 0;

beforeAll(async () => {
  fixture = await RealtimeFixture.create();
  node = await fixture.startNode();
  media = await fixture.media([node]);
});
afterAll(() => fixture.close());

async function expectReason(callId: number, reason: FailureCode): Promise<void> {
  await fixture.ended(callId);
  const { call } = await getCall(apiOf(fixture), callId);
  expect(call.failureDetails).toMatchObject({ reason });
}

async function expectRefusal(number: string, code: FailureCode, trunkId: number | null): Promise<void> {
  const row = await fixture.until(
    async () => (await fixture.db.sipRefusal.findFirst({ where: { number, code } })) ?? undefined,
    `the refusal ${code}`,
  );
  expect(row.trunkId).toBe(trunkId);
  expect(row.reason).toMatch(/^[A-Z].*\.$/);
}

const sourceAt = (address: string) => ({ address, port: 5060, transport: 'UDP' }) as const;

test('an INVITE with an unusable or foreign source, or an unknown ingress host, is refused with its code', async () => {
  const trunkHost = 'carrier.sip.example.test';
  const foreign = sourceAt('198.51.100.7');
  await media.invite({ requestUser: '4420000001', source: sourceAt('not an address') });
  await expectRefusal('4420000001', 'source_invalid', null);
  await media.invite({ requestUser: '4420000002', source: foreign, requestHost: trunkHost });
  await expectRefusal('4420000002', 'source_not_of_trunk', fixture.trunk.id);
  await media.invite({ requestUser: '4420000003', requestHost: 'nobody.sip.example.test' });
  await expectRefusal('4420000003', 'ingress_host_unknown', null);
});

const ownInvite = (requestUser: string): InviteRequest =>
  inviteRequest({ requestUser, mediaNodeId: media.nodeId, source: sourceAt('127.0.0.1') });

test.each([
  ['caller_cancelled', legEndOf('remote-cancel')],
  ['no_decision', legEndOf('media-error', { sipStatus: 503 })],
] as const)('an INVITE that media withdraws is refused as %s', async (code, end: LegEnd) => {
  const line = await fixture.line({ inboundQueueId: (await fixture.queue([])).id });
  const request = ownInvite(line.address);
  const { legId } = request;
  const at = new Date().toISOString();
  await media.fact('invite:withdrawn', { callId: null, legId, at, request, end });
  await expectRefusal(line.address, code, fixture.trunk.id);
});

test('an INVITE that media rejects itself is refused with the code that media reports, once', async () => {
  const line = await fixture.line({ inboundQueueId: (await fixture.queue([])).id });
  const request = ownInvite(line.address);
  const refused = {
    callId: null,
    legId: request.legId,
    at: new Date().toISOString(),
    request,
    status: 488,
    code: 'no_common_codec',
    message: 'the SDP offers neither PCMU nor PCMA',
  } as const;
  await media.fact('invite:refused', refused);
  await media.fact('invite:refused', refused);
  await expectRefusal(line.address, 'no_common_codec', fixture.trunk.id);
  const rows = await fixture.db.sipRefusal.findMany({ where: { number: line.address } });
  expect(rows).toMatchObject([{ status: 488 }]);
  expect(rows[0]?.reason).toContain(failures.no_common_codec.text.replace('.', ''));
  expect(await fixture.db.call.count({ where: { inviteId: request.inviteId } })).toBe(0);
});

async function dialled() {
  const agent = await fixture.agent(`caller-${++agents}`);
  const app = await fixture.app(node, agent.ref);
  const { id: callId } = await fixture.intent(agent, await fixture.line({}));
  await app.ask('call:start', { callId, sdpOffer: 'offer' });
  const { legId } = await media.command('carrier:dial', callId);
  return { app, callId, legId };
}

test.each([
  ['carrier_no_response', legEndOf('unreachable', { sipStatus: 408 })],
  ['carrier_cancelled', legEndOf('remote-bye')],
  ['service_error', legEndOf('media-error')],
  ['answer_unusable', legEndOf('media-error', { sipStatus: 200, reason: 'answer_unusable' })],
  ['tls_certificate', legEndOf('unreachable', { reason: 'tls_certificate' })],
] as const)('a call of ours whose customer is not reached has the reason %s', async (reason, end: LegEnd) => {
  const { app, callId, legId } = await dialled();
  media.ended(callId, legId, end);
  await expectReason(callId, reason);
  app.close();
});

test('a call of ours whose agent gets no audio path has the reason agent_audio_failed', async () => {
  const { onAgentConnect } = media.behaviour;
  media.behaviour.onAgentConnect = () => undefined;
  const agent = await fixture.agent(`caller-${++agents}`);
  const app = await fixture.app(node, agent.ref);
  const { id: callId } = await fixture.intent(agent, await fixture.line({}));
  await app.ask('call:start', { callId, sdpOffer: 'offer' });
  media.behaviour.onAgentConnect = onAgentConnect;
  await fixture.db.$executeRaw`
    update "LiveCall" set "state" = jsonb_set("state", '{giveUpAt}', '0'), "nextDeadlineAt" = now(), "version" = "version" + 1
    where "callId" = ${callId}`;
  await expectReason(callId, 'agent_audio_failed');
  app.close();
});

async function talking(on = node, over = media) {
  const owner = await fixture.agent(`owner-${++agents}`);
  const line = await fixture.line({ ownerAgentId: owner.id });
  const app = await fixture.app(on, owner.ref);
  const { callId, legId } = await over.ring({ requestUser: line.address });
  await app.next('call:incoming');
  await app.ask('call:accept', { callId, sdpOffer: 'offer' });
  await app.next('call:updated', ({ call }) => call.answeredAt !== null);
  return { app, callId, legId };
}

test.each([
  ['no_audio', legEndOf('rtp-timeout')],
  ['carrier_lost', legEndOf('unreachable')],
] as const)('a conversation whose customer is lost has the reason %s', async (reason, end: LegEnd) => {
  const { app, callId, legId } = await talking();
  media.ended(callId, legId, end);
  await expectReason(callId, reason);
  app.close();
});

test('a conversation whose agent sends no audio has the reason agent_no_audio', async () => {
  const { app, callId } = await talking();
  const { legId } = await media.command('agent:connect', callId);
  media.ended(callId, legId, legEndOf('rtp-timeout'));
  await expectReason(callId, 'agent_no_audio');
  app.close();
});

test('a caller whose carrier does not acknowledge our answer: answer_not_acknowledged', async () => {
  const line = await fixture.line({ inboundQueueId: (await fixture.queue([])).id });
  const { callId, legId } = await media.ring({ requestUser: line.address });
  media.ended(callId, legId, legEndOf('unreachable'));
  await expectReason(callId, 'answer_not_acknowledged');
});

test('an INVITE beyond the concurrent call limit of the trunk is refused as trunk_call_limit', async () => {
  const { id } = fixture.trunk;
  const setLimit = (maxCalls: number | null) =>
    fixture.db.sipTrunk.update({ where: { id }, data: { maxCalls } });
  const line = await fixture.line({ inboundQueueId: (await fixture.queue([])).id });
  await setLimit(1);
  // The node hears of the limit, and only calls that begin from then on count.
  const refused = await fixture.until(async () => {
    const { answer } = await media.invite({ requestUser: line.address });
    return answer.action === 'reject' ? answer : undefined;
  }, 'a refusal');
  expect(refused).toMatchObject({ status: 503 });
  await expectRefusal(line.address, 'trunk_call_limit', id);
  await setLimit(null);
});

test('a conversation at the maximum duration has the reason maximum_duration', async () => {
  const brief = await fixture.startNode({ maxCallSeconds: MAX_CALL_SECONDS });
  const other = await fixture.media([brief]);
  const { app, callId } = await talking(brief, other);
  await expectReason(callId, 'maximum_duration');
  app.close();
  await brief.stop();
});

test(
  'INVITEs beyond what can be decided in time are refused as overloaded',
  async () => {
    await fixture.db.consumer.update({
      where: { id: fixture.consumer.id },
      data: { planCallsAtOnce: 9_999 },
    });
    const line = await fixture.line({ inboundQueueId: (await fixture.queue([])).id });
    // Those that are decided late get no response.
    const replies = await Promise.allSettled(
      Array.from({ length: SURGE }, () => media.invite({ requestUser: line.address })),
    );
    const refused = replies.flatMap((reply) =>
      reply.status === 'fulfilled' && reply.value.answer.action === 'reject' ? [reply.value.answer] : [],
    );
    expect(refused[0]).toMatchObject({ status: 503, retryAfterSeconds: 1 });
    await expectRefusal(line.address, 'overloaded', fixture.trunk.id);
  },
  SURGE_WITHIN_MS,
);
