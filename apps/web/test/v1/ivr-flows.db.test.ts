import { afterAll, beforeAll, expect, test } from 'vitest';
import { call, expectError, startWeb } from '../support.ts';
import type { Web } from '../support.ts';
import { createTenantFixture } from '../tenant-fixture.ts';
import type { TenantFixture } from '../tenant-fixture.ts';

let web: Web;
let fixture: TenantFixture;
let key: string;
let queueId: number;
let agentId: number;
let audioId: number;
const tenantRef = 'shop';
beforeAll(async () => {
  web = await startWeb();
  fixture = await createTenantFixture(web, 'acme');
  key = fixture.key;
  queueId = (await call('getQueue', { key, path: { tenantRef, queueRef: 'support' } })).json.queue.id;
  agentId = (await call('getAgent', { key, path: { tenantRef, agentRef: 'ada' } })).json.agent.id;
  audioId = await sound(tenantRef);
});
afterAll(() => web.stop());

/** The row of an audio asset: flows only check that it exists. */
async function sound(ref: string): Promise<number> {
  const { db } = web.runtime;
  const tenant = await db.tenant.findFirstOrThrow({ where: { ref } });
  const { id } = await db.audioAsset.create({
    data: {
      tenantId: tenant.id,
      name: 'Hello',
      mimeType: 'audio/wav',
      durationSeconds: 1,
      sizeBytes: 1,
      storageProvider: 'local',
      storageKey: 'k',
      pcm8kKey: 'k8',
      pcm48kKey: 'k48',
    },
  });
  return id;
}

const structure = (more: { audio?: number; target?: number } = {}) => ({
  nodes: [
    { id: 'start', type: 'ivr_start', data: {}, position: { x: 0, y: 0 } },
    {
      id: 'menu',
      type: 'ivr_menu',
      data: { audioFileId: more.audio ?? audioId, timeoutSeconds: 5, noInputAction: 'replay' },
    },
    { id: 'queue', type: 'ivr_transfer', data: { targetType: 'queue', targetId: more.target ?? queueId } },
  ],
  edges: [
    { source: 'start', target: 'menu' },
    { source: 'menu', target: 'queue', sourceHandle: '1' },
  ],
});
const body = (more: Record<string, unknown> = {}) => ({
  name: 'Welcome',
  channel_ref: 'main',
  structure: structure(),
  ...more,
});
const at = (flowRef: string) => ({ tenantRef, flowRef });
const put = (flowRef: string, more: Record<string, unknown> = {}) =>
  call('putIvrFlow', { key, path: at(flowRef), body: body(more) });
const remove = (flowRef: string) => call('deleteIvrFlow', { key, path: at(flowRef) });

test('a flow is created, read, listed, replaced and deleted', async () => {
  const { ivrFlow } = (await put('welcome', { trigger_condition: ' all_agents_busy ', status: 'active' }))
    .json;
  expect(ivrFlow).toMatchObject({
    ref: 'welcome',
    name: 'Welcome',
    channelRef: 'main',
    status: 'ACTIVE',
    triggerCondition: 'ALL_AGENTS_BUSY',
  });
  expect(ivrFlow.structure.nodes[0]).toMatchObject({ id: 'start', position: { x: 0, y: 0 } });
  expect((await call('getIvrFlow', { key, path: at('welcome') })).json.ivrFlow).toEqual(ivrFlow);
  const again = (await put('welcome', { name: ' New ', status: null })).json.ivrFlow;
  expect(again).toMatchObject({ id: ivrFlow.id, name: 'New', triggerCondition: 'ALWAYS', status: 'ACTIVE' });
  await put('night', { trigger_condition: 'ALL_AGENTS_OFFLINE' });
  const { ivrFlows } = (await call('listIvrFlows', { key, path: { tenantRef } })).json;
  expect(ivrFlows.map(({ ref }) => ref)).toEqual(['welcome', 'night']);
  for (const ref of ['welcome', 'night']) expect((await remove(ref)).status).toBe(204);
  expectError(await remove('welcome'), 404, 'not_found');
  expectError(await call('getIvrFlow', { key, path: at('welcome') }), 404, 'not_found');
  const actions = await web.runtime.db.auditEntry.findMany({ where: { action: { startsWith: 'ivr_flow' } } });
  expect(actions.map(({ action, target }) => `${action} ${target}`)).toEqual([
    'ivr_flow.put welcome',
    'ivr_flow.put welcome',
    'ivr_flow.put night',
    'ivr_flow.delete welcome',
    'ivr_flow.delete night',
  ]);
});

test('a wrong field is named with its path', async () => {
  const good = structure();
  for (const [more, field] of [
    [{ name: ' ' }, 'name'],
    [{ name: 'x'.repeat(256) }, 'name'],
    [{ channel_ref: undefined }, 'channel_ref'],
    [{ channel_ref: 'nowhere' }, 'channel_ref'],
    [{ status: 'PAUSED' }, 'status'],
    [{ trigger_condition: 'SOMETIMES' }, 'trigger_condition'],
    [{ structure: undefined }, 'structure'],
    [{ structure: { ...good, nodes: good.nodes.slice(1) } }, 'structure.nodes'],
    [{ structure: structure({ target: queueId + 1000 }) }, 'structure.nodes[2].data.targetId'],
    [{ structure: structure({ audio: audioId + 1000 }) }, 'structure.nodes[1].data.audioFileId'],
    [
      {
        structure: {
          ...good,
          edges: [...good.edges, { source: 'menu', target: 'queue', sourceHandle: '1' }],
        },
      },
      'structure.edges[2].sourceHandle',
    ],
  ] as const) {
    expectError(await put('bad', more), 400, 'invalid_request', field);
  }
  expect((await put('edge', { name: 'x'.repeat(255) })).status).toBe(200);
  await remove('edge');
  expectError(
    await call('putIvrFlow', { key, path: at('x'.repeat(192)), body: body() }),
    400,
    'invalid_request',
    'flow_ref',
  );
  expectError(await call('getIvrFlow', { key, path: at('x'.repeat(192)) }), 404, 'not_found');
  expectError(
    await call('putIvrFlow', { key, path: { tenantRef: 'none', flowRef: 'f' }, body: body() }),
    404,
    'not_found',
  );
});

test('queues, audio assets, agents and lines of another tenant are unknown', async () => {
  const other = { tenantRef: 'other' };
  await call('putTenant', { key, path: other, body: { name: 'O' } });
  const foreign = await sound('other');
  const { queue } = (await call('putQueue', { key, path: { ...other, queueRef: 'q' }, body: { name: 'Q' } }))
    .json;
  expectError(
    await put('f', { structure: structure({ target: queue.id }) }),
    400,
    'invalid_request',
    'structure.nodes[2].data.targetId',
  );
  expectError(
    await put('f', { structure: structure({ audio: foreign }) }),
    400,
    'invalid_request',
    'structure.nodes[1].data.audioFileId',
  );
  expectError(
    await call('putIvrFlow', { key, path: { ...other, flowRef: 'f' }, body: body() }),
    400,
    'invalid_request',
    'channel_ref',
  );
  const toAgent = (id: number) => ({
    nodes: [
      { id: 's', type: 'ivr_start' },
      { id: 'a', type: 'ivr_transfer', data: { targetType: 'agent', targetId: id } },
    ],
    edges: [{ source: 's', target: 'a' }],
  });
  expect((await put('f', { structure: toAgent(agentId) })).status).toBe(200);
  await call('putAgent', { key, path: { tenantRef, agentRef: 'cy' }, body: { name: 'Cy' } });
  const { agent } = (await call('getAgent', { key, path: { tenantRef, agentRef: 'cy' } })).json;
  await call('deleteAgent', { key, path: { tenantRef, agentRef: 'cy' } });
  expectError(
    await put('f', { structure: toAgent(agent.id) }),
    400,
    'invalid_request',
    'structure.nodes[1].data.targetId',
  );
  await remove('f');
});

test('a line has one ACTIVE flow per trigger, also with ten concurrent PUTs', async () => {
  await put('first');
  expectError(await put('second'), 400, 'invalid_request', 'trigger_condition');
  expect((await put('first')).status).toBe(200);
  expect((await put('second', { status: 'DISABLED' })).status).toBe(200);
  expect((await put('third', { trigger_condition: 'ALL_AGENTS_OFFLINE' })).status).toBe(200);
  await remove('first');
  expect((await put('second')).json.ivrFlow.status).toBe('ACTIVE');
  for (const ref of ['second', 'third']) await remove(ref);
  const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => put(`race-${i}`)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  for (const answer of answers.filter(({ status }) => status !== 200)) {
    expectError(answer, 400, 'invalid_request', 'trigger_condition');
  }
  for (const { ref } of await web.runtime.db.ivrFlow.findMany()) await remove(ref);
});

test('resources that a flow uses cannot be deleted, and deleting a line deletes its flows', async () => {
  const { db } = web.runtime;
  await call('putQueue', { key, path: { tenantRef, queueRef: 'q2' }, body: { name: 'Q2' } });
  const { queue } = (await call('getQueue', { key, path: { tenantRef, queueRef: 'q2' } })).json;
  const deleteQueue = () => call('deleteQueue', { key, path: { tenantRef, queueRef: 'q2' } });
  await fixture.putLine('menu-line', '+442071838799');
  await put('uses', {
    channel_ref: 'menu-line',
    status: 'DISABLED',
    structure: structure({ target: queue.id }),
  });
  const refusal = await deleteQueue();
  expectError(refusal, 409, 'in_use');
  expect(refusal.error?.details).toEqual({ usedBy: ['ivrFlow:uses'] });
  await expect(db.audioAsset.delete({ where: { id: audioId } })).rejects.toThrow();
  // A flow that no longer uses it does not prevent its deletion.
  await put('uses', { channel_ref: 'menu-line' });
  expect((await deleteQueue()).status).toBe(204);
  await call('deleteChannel', { key, path: { tenantRef, channelRef: 'menu-line' } });
  expect(await db.ivrFlow.count()).toBe(0);
  expect(await db.ivrFlowAudio.count()).toBe(0);
});

test('a queue deleted while a flow that uses it is PUT: either the flow is rejected or the queue stays', async () => {
  for (let round = 0; round < 8; round += 1) {
    const path = { tenantRef, queueRef: `brief-${round}` };
    const { queue } = (await call('putQueue', { key, path, body: { name: 'Q' } })).json;
    const [flow, gone] = await Promise.all([
      put('racing', { structure: structure({ target: queue.id }) }),
      call('deleteQueue', { key, path }),
    ]);
    if (gone.status === 204) expectError(flow, 400, 'invalid_request', 'structure.nodes[2].data.targetId');
    else {
      expectError(gone, 409, 'in_use');
      expect(flow.status).toBe(200);
      await remove('racing');
    }
  }
});
