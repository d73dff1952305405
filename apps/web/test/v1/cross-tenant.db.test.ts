import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EndpointDefinition } from '@clarion/protocol/v1/endpoint';
import { registry } from '@clarion/protocol/v1/registry';
import type { EndpointName } from '@clarion/protocol/v1/registry';
import { handlers } from '../../app/v1/handlers.ts';
import { staffSession } from '../dashboard.ts';
import { call, expectError, startWeb } from '../support.ts';
import type { Call, Web } from '../support.ts';
import { storedPart } from '../stored-part.ts';
import { createTenantFixture } from '../tenant-fixture.ts';

/** Every endpoint with the refs and IDs of another consumer: the response must be the same as if they did not exist. */
let web: Web;
let owner: string;
let stranger: string;
/** The session of a user of theirs, for endpoints of dashboard users only. */
let strangersOwner: string;
let theirs: Record<string, string | number>;
beforeAll(async () => {
  web = await startWeb();
  const fixture = await createTenantFixture(web, 'owner');
  owner = fixture.key;
  const { callId } = (
    await call('createCall', {
      key: fixture.key,
      path: { tenantRef: 'shop' },
      body: { channel_ref: 'main', agent_ref: 'ada', customer: { address: '+442079460123' } },
    })
  ).json.call;
  const { db } = web.runtime;
  const consumer = await db.consumer.findUniqueOrThrow({ where: { slug: 'owner' } });
  const trunk = await db.sipTrunk.create({
    data: { consumerId: consumer.id, name: 'own', status: 'ACTIVE', host: 'h', ingressLabel: 'own' },
  });
  const refusal = await db.sipRefusal.create({
    data: { trunkId: trunk.id, status: 404, source: 'h', number: '1', reason: 'r', ladder: storedPart() },
  });
  const { eventId } = await db.event.findFirstOrThrow({ where: { callId } });
  stranger = (await web.consumer('stranger')).apiKey;
  const apiKey = await db.apiKey.findFirstOrThrow({ where: { consumerId: consumer.id } });
  const signingKey = await db.signingKey.findFirstOrThrow({ where: { consumerId: consumer.id } });
  const deviceId = 'adas-phone';
  await call('putPushToken', {
    key: owner,
    path: { tenantRef: 'shop', agentRef: 'ada', deviceId },
    body: { platform: 'ANDROID', provider: 'FCM', token: 'theirs' },
  });
  const provider = 'onesignal';
  const oneSignal = { app_id: '6f1d3c1e-8a5b-4c7d-9e2f-0a1b2c3d4e5f', api_key: 'theirs' };
  await call('putPushCredentials', { key: owner, path: { provider }, body: oneSignal });
  await call('putIvrFlow', {
    key: owner,
    path: { tenantRef: 'shop', flowRef: 'bye' },
    body: {
      name: 'Bye',
      channel_ref: 'main',
      structure: {
        nodes: [
          { id: 's', type: 'ivr_start' },
          { id: 'h', type: 'ivr_hangup' },
        ],
        edges: [{ source: 's', target: 'h' }],
      },
    },
  });
  const { audioAsset } = (
    await call('createAudioAsset', {
      key: owner,
      path: { tenantRef: 'shop' },
      body: registry.createAudioAsset.example.body,
    })
  ).json;
  const person = await staffSession(web, 'owner');
  ({ session: strangersOwner } = await staffSession(web, 'stranger'));
  theirs = {
    tenantRef: 'shop',
    assetId: audioAsset.id,
    flowRef: 'bye',
    agentRef: 'ada',
    queueRef: 'support',
    channelRef: 'main',
    deviceId,
    provider,
    callId,
    trunkId: trunk.id,
    refusalId: Number(refusal.id),
    eventId,
    apiKeyId: apiKey.id,
    kid: signingKey.kid,
    userId: person.user.id,
    sessionId: person.sessionId,
  };
});
afterAll(() => web.stop());

const names = Object.keys(registry).filter((name): name is EndpointName => name in registry);
/** The input of an endpoint. The refs in its example are not those of this test, but the path is checked first. */
const sendTo = (name: EndpointName): Call => {
  const { example }: EndpointDefinition = registry[name];
  return {
    path: theirs,
    ...(example.body !== undefined && { body: example.body }),
    ...(example.query !== undefined && { query: example.query }),
  };
};
/** Creating a tenant under a ref that another consumer uses too is allowed: refs are each consumer's own. So are providers. */
const own: EndpointName[] = ['putTenant', 'putPushCredentials'];

const withPathFields = names.filter((name) => registry[name].path.includes('{') && !own.includes(name));

test.for(names)('%s without a key is 401', async (name) => {
  expectError(await call(name, sendTo(name)), 401, 'unauthorized');
});

test.for(withPathFields)('%s finds nothing of another consumer', async (name) => {
  const definition: EndpointDefinition = registry[name];
  const who = definition.sessionOnly ? { session: strangersOwner } : { key: stranger };
  expectError(await call(name, { ...sendTo(name), ...who }), 404, 'not_found');
});

test("after all these requests the owner's data is unchanged", async () => {
  const { db } = web.runtime;
  expect(await db.agent.count({ where: { deletedAt: null, tenant: { consumer: { slug: 'owner' } } } })).toBe(
    2,
  );
  expect(await db.liveCall.count()).toBe(1);
  expect([await db.pushToken.count(), await db.pushCredential.count()]).toEqual([1, 1]);
});

test('lists of another consumer are empty', async () => {
  expect((await call('listTenants', { key: stranger })).json.tenants).toEqual([]);
  expect((await call('listEvents', { key: stranger })).json.events).toEqual([]);
  expect(
    (await call('listTrunks', { key: stranger })).json.trunks.every(({ owner }) => owner === 'PLATFORM'),
  ).toBe(true);
});

test('putTenant with a ref of another consumer creates a separate tenant', async () => {
  await call('putTenant', { key: stranger, path: { tenantRef: 'shop' }, body: { name: 'Mine' } });
  expect((await call('listAgents', { key: stranger, path: { tenantRef: 'shop' } })).json.agents).toEqual([]);
});

test('refs of one tenant are unknown in another tenant of the same consumer', async () => {
  const other = { tenantRef: 'other' };
  const key = owner;
  await call('putTenant', { key, path: other, body: { name: 'Other' } });
  const path = { ...theirs, ...other };
  for (const name of [
    'getAgent',
    'getQueue',
    'getQueueMembers',
    'getChannel',
    'deleteAgent',
    'deleteQueue',
    'getIvrFlow',
    'deleteIvrFlow',
  ] as const) {
    expectError(await call(name, { key, path }), 404, 'not_found');
  }
  const queue = (body: object) =>
    call('putQueue', { key, path: { ...other, queueRef: 'q' }, body: { name: 'Q', ...body } });
  expectError(await queue({ overflow_queue_ref: 'support' }), 400, 'invalid_request', 'overflow_queue_ref');
  expectError(
    await queue({ members: [{ agent_ref: 'ada' }] }),
    400,
    'invalid_request',
    'members[0].agent_ref',
  );
  const { channel } = (await call('getChannel', { key, path: theirs })).json;
  const line = (body: object) =>
    call('putChannel', {
      key,
      path: { ...other, channelRef: 'l' },
      body: { type: 'SIP', address: '+442071838111', sip_trunk_id: channel.sipTrunkId, ...body },
    });
  expectError(await line({ inbound_queue_ref: 'support' }), 400, 'invalid_request', 'inbound_queue_ref');
  expectError(await line({ owner_agent_ref: 'ada' }), 400, 'invalid_request', 'owner_agent_ref');
  const calls = (query: string) => call('listCalls', { key, path: other, query });
  expectError(await calls('channel_ref=main'), 400, 'invalid_request', 'channel_ref');
  expectError(await calls('agent_ref=ada'), 404, 'not_found');
  expect((await calls('')).json.calls).toEqual([]);
});

test('every endpoint of the registry has its handler', () => {
  expect(Object.keys(handlers).toSorted()).toEqual(names.toSorted());
});
