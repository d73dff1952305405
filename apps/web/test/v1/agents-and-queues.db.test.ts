import { afterAll, beforeAll, expect, test } from 'vitest';
import { call, expectError, startWeb } from '../support.ts';
import type { Web } from '../support.ts';
import { createTenantFixture } from '../tenant-fixture.ts';
import type { TenantFixture } from '../tenant-fixture.ts';

let web: Web;
let fixture: TenantFixture;
let key: string;
const tenantRef = 'shop';
beforeAll(async () => {
  web = await startWeb();
  fixture = await createTenantFixture(web, 'acme');
  key = fixture.key;
});
afterAll(() => web.stop());

const putAgent = (agentRef: string, body: unknown) =>
  call('putAgent', { key, path: { tenantRef, agentRef }, body });
const putQueue = (queueRef: string, body: unknown) =>
  call('putQueue', { key, path: { tenantRef, queueRef }, body });
const putMembers = (queueRef: string, body: unknown) =>
  call('putQueueMembers', { key, path: { tenantRef, queueRef }, body });

test("an agent's role and do-not-disturb are kept when omitted", async () => {
  expect((await putAgent('cy', { name: 'Cy' })).json.agent).toMatchObject({
    ref: 'cy',
    tenantRef,
    name: 'Cy',
    role: 'AGENT',
    doNotDisturb: false,
    availability: 'OFFLINE',
    connected: false,
    deviceCount: 0,
  });
  await putAgent('cy', { name: 'Cy', role: 'supervisor' });
  const path = { tenantRef, agentRef: 'cy' };
  expect(
    (await call('putDoNotDisturb', { key, path, body: { enabled: true } })).json.agent.doNotDisturb,
  ).toBe(true);
  expect((await putAgent('cy', { name: 'Cyd' })).json.agent).toMatchObject({
    name: 'Cyd',
    role: 'SUPERVISOR',
    doNotDisturb: true,
  });
  for (const [body, field] of [
    [{}, 'enabled'],
    [{ enabled: 'true' }, 'enabled'],
    [{ enabled: null }, 'enabled'],
  ] as const) {
    expectError(await call('putDoNotDisturb', { key, path, body }), 400, 'invalid_request', field);
  }
});

test('an invalid agent field is named', async () => {
  expectError(await putAgent('dan', { role: 'AGENT' }), 400, 'invalid_request', 'name');
  expectError(await putAgent('dan', { name: 'Dan', role: 'BOSS' }), 400, 'invalid_request', 'role');
  expectError(await putAgent('x'.repeat(192), { name: 'Dan' }), 400, 'invalid_request', 'agent_ref');
});

test('an agent counts devices, not sockets, and is ON_CALL only in a conversation', async () => {
  const { id: agentId } = (await putAgent('eve', { name: 'Eve' })).json.agent;
  await web.runtime.db.agentConnection.createMany({
    data: [
      { socketId: 's1', agentId, deviceId: 'd1', nodeId: 'n' },
      { socketId: 's2', agentId, deviceId: 'd1', nodeId: 'n' },
    ],
  });
  const read = async () => (await call('getAgent', { key, path: { tenantRef, agentRef: 'eve' } })).json.agent;
  expect(await read()).toMatchObject({ connected: true, deviceCount: 1, availability: 'OFFLINE' });
  await web.runtime.db.agent.update({
    where: { id: agentId },
    data: { currentCallId: 1, shift: 'AVAILABLE' },
  });
  expect((await read()).availability).toBe('AVAILABLE');
  await web.runtime.db.agent.update({ where: { id: agentId }, data: { onCall: true } });
  expect((await read()).availability).toBe('ON_CALL');
});

test('a deleted agent is removed from lists and queues, and the next PUT creates them anew', async () => {
  await putAgent('gone', { name: 'Gone', role: 'SUPERVISOR' });
  await putQueue('leaving', { name: 'L', members: [{ agent_ref: 'gone' }] });
  const path = { tenantRef, agentRef: 'gone' };
  expect((await call('deleteAgent', { key, path })).status).toBe(204);
  expectError(await call('getAgent', { key, path }), 404, 'not_found');
  expectError(await call('deleteAgent', { key, path }), 404, 'not_found');
  expectError(await call('putDoNotDisturb', { key, path, body: { enabled: true } }), 404, 'not_found');
  const { agents } = (await call('listAgents', { key, path: { tenantRef } })).json;
  expect(agents.map(({ ref }) => ref)).not.toContain('gone');
  expect(
    (await call('getQueueMembers', { key, path: { tenantRef, queueRef: 'leaving' } })).json.members,
  ).toEqual([]);
  expectError(
    await putMembers('leaving', { members: [{ agent_ref: 'gone' }] }),
    400,
    'invalid_request',
    'members[0].agent_ref',
  );
  expect((await putAgent('gone', { name: 'Back' })).json.agent).toMatchObject({
    name: 'Back',
    role: 'AGENT',
  });
});

test('a queue has the documented defaults, and each PUT resets omitted fields', async () => {
  const full = {
    name: 'Full',
    strategy: 'priority',
    ring_timeout_seconds: 300,
    max_wait_seconds: 86_400,
    overflow_queue_ref: 'support',
    max_active_calls: 10_000,
    wrap_up_seconds: 30,
    announce_position: true,
    announce_wait: true,
    announce_every_seconds: 90,
    callback_key: ' # ',
    skills_wait_seconds: 120,
    answer_while_waiting: true,
    members: [{ agent_ref: 'ben', priority: 1000, skills: [' German ', 'BILLING'] }, { agent_ref: 'ada' }],
  };
  const { queue } = (await putQueue('sales', full)).json;
  expect(queue).toMatchObject({
    ref: 'sales',
    strategy: 'PRIORITY',
    ringTimeoutSeconds: 300,
    maxWaitSeconds: 86_400,
    maxActiveCalls: 10_000,
    wrapUpSeconds: 30,
    announcePosition: true,
    announceWait: true,
    announceEverySeconds: 90,
    callbackKey: '#',
    skillsWaitSeconds: 120,
    answerWhileWaiting: true,
  });
  expect(queue.overflowQueueId).toBe(
    (await call('getQueue', { key, path: { tenantRef, queueRef: 'support' } })).json.queue.id,
  );
  expect(queue.members.map(({ agentRef, priority, skills }) => [agentRef, priority, skills])).toEqual([
    ['ada', 1, []],
    ['ben', 1000, ['german', 'billing']],
  ]);
  expect((await putQueue('sales', { name: 'Bare' })).json.queue).toMatchObject({
    id: queue.id,
    name: 'Bare',
    strategy: 'ROUND_ROBIN',
    ringTimeoutSeconds: 20,
    maxWaitSeconds: 300,
    overflowQueueId: null,
    maxActiveCalls: null,
    wrapUpSeconds: 0,
    announcePosition: false,
    announceWait: false,
    announceEverySeconds: 60,
    callbackKey: null,
    skillsWaitSeconds: null,
    answerWhileWaiting: false,
    members: [],
  });
  expect(
    (await putQueue('sales', { name: 'Patient', max_wait_seconds: null })).json.queue.maxWaitSeconds,
  ).toBeNull();
});

test("the bounds of a queue's fields are exact", async () => {
  for (const [field, min, max] of [
    ['ring_timeout_seconds', 5, 300],
    ['max_wait_seconds', 5, 86_400],
    ['max_active_calls', 1, 10_000],
    ['wrap_up_seconds', 0, 3_600],
    ['announce_every_seconds', 15, 600],
    ['skills_wait_seconds', 0, 86_400],
  ] as const) {
    for (const value of [min, max])
      expect((await putQueue('edge', { name: 'E', [field]: value })).status).toBe(200);
    for (const value of [min - 1, max + 1, 'ten', 7.5]) {
      expectError(await putQueue('edge', { name: 'E', [field]: value }), 400, 'invalid_request', field);
    }
  }
  for (const value of ['yes', 1])
    expectError(
      await putQueue('edge', { name: 'E', answer_while_waiting: value }),
      400,
      'invalid_request',
      'answer_while_waiting',
    );
  for (const priority of [1, 1000]) {
    expect((await putMembers('edge', { members: [{ agent_ref: 'ada', priority }] })).status).toBe(200);
  }
  for (const priority of [0, 1001, '5', 1.5]) {
    expectError(
      await putMembers('edge', { members: [{ agent_ref: 'ben' }, { agent_ref: 'ada', priority }] }),
      400,
      'invalid_request',
      'members[1].priority',
    );
  }
});

test('a callback key is one key of a phone', async () => {
  for (const callback_key of [...'0123456789*#', null, '']) {
    const { queue } = (await putQueue('keys', { name: 'K', callback_key })).json;
    expect(queue.callbackKey).toBe(callback_key || null);
  }
  for (const callback_key of ['12', 'A', '+', 5, {}])
    expectError(await putQueue('keys', { name: 'K', callback_key }), 400, 'invalid_request', 'callback_key');
  for (const field of ['announce_position', 'announce_wait'])
    expectError(await putQueue('keys', { name: 'K', [field]: 'true' }), 400, 'invalid_request', field);
});

test('a member has at most twenty different skills of 64 characters, regardless of case', async () => {
  const put = (skills: unknown) => putMembers('edge', { members: [{ agent_ref: 'ada', skills }] });
  const many = Array.from({ length: 20 }, (_, i) => `skill ${i}`);
  expect((await put(many)).json.members).toMatchObject([{ skills: many }]);
  expect((await put(['x'.repeat(64), 'Grüße', ' Grün '])).json.members).toMatchObject([
    { skills: ['x'.repeat(64), 'grüße', 'grün'] },
  ]);
  for (const none of [[], null, undefined]) {
    expect((await put(none)).json.members).toMatchObject([{ skills: [] }]);
  }
  for (const [skills, field] of [
    [[...many, 'one more'], 'members[0].skills'],
    ['german', 'members[0].skills'],
    [['x'.repeat(65)], 'members[0].skills[0]'],
    [['german', ' '], 'members[0].skills[1]'],
    [['german', 7], 'members[0].skills[1]'],
    [['German', 'german '], 'members[0].skills[1]'],
  ] as const) {
    expectError(await put(skills), 400, 'invalid_request', field);
  }
});

test('unknown refs of a queue are named', async () => {
  for (const [body, field] of [
    [{ name: 'Q', overflow_queue_ref: 'nowhere' }, 'overflow_queue_ref'],
    [{ name: 'Q', overflow_queue_ref: 'self' }, 'overflow_queue_ref'],
    [{ name: 'Q', hold_audio_asset_id: 1 }, 'hold_audio_asset_id'],
    [{ name: 'Q', members: [{ agent_ref: 'ada' }, { agent_ref: 'nobody' }] }, 'members[1].agent_ref'],
    [{ name: 'Q', members: [{ agent_ref: 'ada' }, { agent_ref: 'ada' }] }, 'members[1].agent_ref'],
    [{ name: 'Q', members: 'ada' }, 'members'],
    [{ name: 'Q', members: ['ada'] }, 'members[0]'],
    [{}, 'name'],
  ] as const) {
    expectError(await putQueue('self', body), 400, 'invalid_request', field);
  }
  expectError(await call('getQueue', { key, path: { tenantRef, queueRef: 'self' } }), 404, 'not_found');
  expectError(await putMembers('support', {}), 400, 'invalid_request', 'members');
});

test('members are replaced as a whole', async () => {
  expect(
    (await putMembers('support', { members: [{ agent_ref: 'ben', priority: 3 }] })).json.members,
  ).toMatchObject([{ agentRef: 'ben', priority: 3 }]);
  expect((await putMembers('support', { members: [] })).json.members).toEqual([]);
});

test('a queue has at most 5000 members', async () => {
  const members = (count: number) => ({
    members: Array.from({ length: count }, (_, i) => ({ agent_ref: `nobody-${i}` })),
  });
  const atMost = await putMembers('support', members(5_000));
  expectError(atMost, 400, 'invalid_request', 'members[0].agent_ref');
  expectError(await putMembers('support', members(5_001)), 400, 'invalid_request', 'members');
});

test('a queue in use cannot be deleted, and the error names what uses it', async () => {
  await putQueue('busy', { name: 'Busy' });
  await putQueue('spill', { name: 'Spill', overflow_queue_ref: 'busy' });
  await fixture.putLine('hot', '+442071838799', { inbound_queue_ref: 'busy' });
  const path = { tenantRef, queueRef: 'busy' };
  const refused = await call('deleteQueue', { key, path });
  expectError(refused, 409, 'in_use');
  expect(refused.error?.details).toEqual({ usedBy: ['channel:hot', 'queue:spill'] });
  await call('deleteChannel', { key, path: { tenantRef, channelRef: 'hot' } });
  await putQueue('spill', { name: 'Spill' });
  expect((await call('deleteQueue', { key, path })).status).toBe(204);
  expectError(await call('deleteQueue', { key, path }), 404, 'not_found');
  expect(
    (await call('listQueues', { key, path: { tenantRef } })).json.queues.map(({ ref }) => ref),
  ).not.toContain('busy');
});

test('a test token is for the agent, is audited and has the requested lifetime', async () => {
  await putAgent('tess', { name: 'Tess', role: 'SUPERVISOR' });
  const path = { tenantRef, agentRef: 'tess' };
  const { json } = await call('createTestToken', { key, path, body: { minutes: 5 } });
  const { token, expiresAt, ...rest } = json.testToken;
  expect(rest).toEqual({
    tenantRef,
    agentRef: 'tess',
    role: 'SUPERVISOR',
    connectTo: web.runtime.settings.baseUrl,
  });
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as {
    iat: number;
    exp: number;
    role: string;
    name: string;
  };
  expect(claims).toMatchObject({ sub: 'tess', tnt: tenantRef, name: 'Tess', role: 'SUPERVISOR' });
  expect(claims.exp - claims.iat).toBe(300);
  expect(Date.parse(expiresAt)).toBe(claims.exp * 1000);
  const asAgent = await call('createTestToken', { key, path, body: { role: 'agent' } });
  expect(asAgent.json.testToken.role).toBe('AGENT');
  expectError(
    await call('createTestToken', { key, path, body: { minutes: 61 } }),
    400,
    'invalid_request',
    'minutes',
  );
  const unknown = { tenantRef, agentRef: 'nobody' };
  expectError(await call('createTestToken', { key, path: unknown, body: {} }), 404, 'not_found');
  const audited = await web.runtime.db.auditEntry.findMany({
    where: { action: 'agent.test_token', target: 'tess' },
  });
  expect(audited.map(({ details }) => details)).toEqual([
    { role: 'SUPERVISOR', minutes: 5 },
    { role: 'AGENT', minutes: 15 },
  ]);
});
