import type { EndpointDefinition, EndpointRole } from '@clarion/protocol/v1/endpoint';
import { registry } from '@clarion/protocol/v1/registry';
import type { EndpointName } from '@clarion/protocol/v1/registry';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchedSession, staffSession } from '../dashboard.ts';
import { call, startWeb } from '../support.ts';
import type { Answer, Call, Web } from '../support.ts';
import { createTenantFixture } from '../tenant-fixture.ts';

/** Which callers may use which endpoints, for the whole registry: new endpoints are included without a change here. */
let web: Web;
let callers: Record<Who, () => Promise<Pick<Call, 'key' | 'session'>>>;

const staff = ['OWNER', 'ADMIN', 'SUPERVISOR'] as const;
const launched = ['launched ADMIN', 'launched SUPERVISOR'] as const;
const everybody = ['key', ...staff, ...launched, 'nobody'] as const;
type Who = (typeof everybody)[number];

/** Defined a second time, independently of the registry. */
const ALLOWED: Record<Exclude<Who, 'key' | 'nobody'>, readonly EndpointRole[]> = {
  OWNER: ['view', 'supervise', 'manage', 'provision', 'own'],
  ADMIN: ['view', 'supervise', 'manage', 'provision'],
  SUPERVISOR: ['view', 'supervise'],
  'launched ADMIN': ['view', 'supervise', 'manage'],
  'launched SUPERVISOR': ['view', 'supervise'],
};

const SECRETS = ['Zanzibar', 'zanzibar', '+442071838799', 'only-there'];
/** The resources of the other tenant of the same account, by path field. */
const there = {
  tenantRef: 'zanzibar',
  agentRef: 'zanzibar-agent',
  queueRef: 'zanzibar-queue',
  channelRef: 'zanzibar-line',
  flowRef: 'zanzibar-flow',
};
let ids: Record<string, number>;

beforeAll(async () => {
  web = await startWeb();
  await web.runtime.ready;
  const { key } = await createTenantFixture(web, 'acme');
  await otherTenant(key);
  const supervisorHere = await launchedSession(web, 'acme', 'shop', 'SUPERVISOR');
  const adminHere = await launchedSession(web, 'acme', 'shop', 'ADMIN');
  callers = {
    key: async () => ({ key }),
    OWNER: () => staffSession(web, 'acme', 'OWNER'),
    ADMIN: () => staffSession(web, 'acme', 'ADMIN'),
    SUPERVISOR: () => staffSession(web, 'acme', 'SUPERVISOR'),
    'launched ADMIN': async () => adminHere,
    'launched SUPERVISOR': async () => supervisorHere,
    nobody: async () => ({}),
  };
});
afterAll(() => web.stop());

/** A second tenant with one resource of each kind, a call and an own trunk of the account. */
async function otherTenant(key: string): Promise<void> {
  const { db } = web.runtime;
  const path = there;
  await call('putTenant', { key, path, body: { name: 'Zanzibar' } });
  await call('putAgent', { key, path, body: { name: 'Zanzibar agent' } });
  await call('putQueue', {
    key,
    path,
    body: { name: 'Zanzibar queue', members: [{ agent_ref: there.agentRef }] },
  });
  const consumer = await db.consumer.findUniqueOrThrow({ where: { slug: 'acme' } });
  const trunk = await db.sipTrunk.create({
    data: {
      consumerId: consumer.id,
      name: 'own',
      status: 'ACTIVE',
      host: 'only-there.example',
      ingressLabel: 'own',
    },
  });
  await call('putChannel', {
    key,
    path,
    body: { type: 'SIP', address: '+442071838799', sip_trunk_id: trunk.id },
  });
  const placed = await call('createCall', {
    key,
    path,
    body: {
      channel_ref: there.channelRef,
      agent_ref: there.agentRef,
      customer: { address: '+442079460123' },
      consumer_metadata: { secret: 'only-there' },
    },
  });
  ids = { callId: placed.json.call.callId, trunkId: trunk.id };
}

const names = Object.keys(registry).filter((name): name is EndpointName => name in registry);
const definitionOf = (name: EndpointName): EndpointDefinition => registry[name];

const refsHere = {
  tenantRef: 'shop',
  agentRef: 'nobody',
  queueRef: 'none',
  channelRef: 'none',
  flowRef: 'none',
};
const NONE = {
  callId: 999_999,
  assetId: 999_999,
  apiKeyId: 999_999,
  trunkId: 999_999,
  sessionId: 999_999,
  userId: 999_999,
};

/** Requests without effect on the next caller: their resources do not exist, and bodies are empty. */
const harmless = (name: EndpointName): Call => ({
  path: { ...definitionOf(name).example.path, ...NONE, ...refsHere, kid: 'none', provider: 'fcm' },
  ...(definitionOf(name).method !== 'GET' && { body: '{' }),
});

function isAllowed(who: Who, endpoint: EndpointDefinition): boolean {
  if (who === 'key') return endpoint.sessionOnly !== true;
  if (who === 'nobody') return false;
  const isLaunched = who.startsWith('launched');
  if (isLaunched && !endpoint.oneTenantSession) return false;
  return ALLOWED[who].includes((isLaunched ? endpoint.launchedRole : undefined) ?? endpoint.role);
}

const isRefused = ({ status, error }: Answer<EndpointName>): boolean =>
  status === 403 && (error === null || error.code === 'forbidden');

test.for(everybody)('%s may ask for exactly what their role allows', async (who) => {
  const caller = await callers[who]();
  const wrong: string[] = [];
  for (const name of names) {
    const answer = await call(name, { ...harmless(name), ...caller });
    const allowed = isAllowed(who, definitionOf(name));
    const right = who === 'nobody' ? answer.status === 401 : isRefused(answer) !== allowed;
    if (!right || answer.status >= 500) wrong.push(`${name} ${answer.status} ${answer.text.slice(0, 80)}`);
  }
  expect(wrong).toEqual([]);
});

/** The example with the refs of the other tenant. */
const atTheOther = (name: EndpointName): Call => {
  const { example } = definitionOf(name);
  return {
    path: { ...example.path, ...there, ...ids },
    ...(example.body !== undefined && { body: example.body }),
    query: new URLSearchParams({
      ...Object.fromEntries(new URLSearchParams(example.query)),
      tenant_ref: there.tenantRef,
    }).toString(),
  };
};
const OF_A_TENANT = /\{(tenantRef|callId)\}/;

test.for(launched)('for a %s another tenant of the account does not exist', async (who) => {
  const caller = await callers[who]();
  const wrong: string[] = [];
  for (const name of names) {
    const answer = await call(name, { ...atTheOther(name), ...caller });
    const told = SECRETS.filter((secret) => answer.text.includes(secret));
    const isLetIn = OF_A_TENANT.test(definitionOf(name).path) && ![403, 404].includes(answer.status);
    if (told.length > 0 || isLetIn || answer.status >= 500) {
      wrong.push(`${name} ${answer.status} ${answer.text.slice(0, 200)}`);
    }
  }
  expect(wrong).toEqual([]);
});

test.for(launched)('what a %s reads without naming a tenant is their own tenant alone', async (who) => {
  const caller = await callers[who]();
  const telling: string[] = [];
  for (const name of names) {
    const { method, path } = definitionOf(name);
    if (method !== 'GET' || path.includes('{')) continue;
    const { text } = await call(name, caller);
    if (SECRETS.some((secret) => text.includes(secret))) telling.push(`${name} ${text.slice(0, 200)}`);
  }
  expect(telling).toEqual([]);
});

test('no request of the matrix changed the other tenant', async () => {
  const { key } = await callers.key();
  const path = there;
  expect((await call('getTenant', { ...(key && { key }), path })).json.tenant.name).toBe('Zanzibar');
  expect((await call('getAgent', { ...(key && { key }), path })).json.agent.name).toBe('Zanzibar agent');
  expect((await call('getQueueMembers', { ...(key && { key }), path })).json.members).toHaveLength(1);
});
