/**
 * Creates the demo account at `npm start`: a tenant with two agents, a queue, a trunk that stays on this machine and two lines, with the
 * simulator of WhatsApp a third one. Running it again creates only what is missing, so that changes are kept.
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Consumer } from '@clarion/db';
import { findAgent } from '@clarion/core/agent/agent-of';
import { putAgent } from '@clarion/core/agent/put-agent';
import { findChannel } from '@clarion/core/channel/channel-of';
import { putChannel } from '@clarion/core/channel/put-channel';
import { readApiKey } from '@clarion/core/consumer/api-key';
import { createConsumer } from '@clarion/core/consumer/create-consumer';
import { createApiKey, createSigningKey } from '@clarion/core/consumer/keys';
import { forConsumer } from '@clarion/core/consumer/operator';
import type { OperatorCtx } from '@clarion/core/consumer/operator';
import { putRecordingPolicy } from '@clarion/core/consumer/recording-policy';
import type { Ctx } from '@clarion/core/context';
import { findQueue } from '@clarion/core/queue/queue-of';
import { putQueue } from '@clarion/core/queue/put-queue';
import { putTenant } from '@clarion/core/tenant/put-tenant';
import { createTrunk } from '@clarion/core/trunk/create-trunk';
import { moveTrunk } from '@clarion/core/trunk/trunk-moves';
import { demo } from '@clarion/core/demo-account';
import type { DemoFile } from '@clarion/core/demo-account';
import type { CliEnv } from '../env.ts';
import { demoPeople } from './demo-people.ts';

/** The demo file contains the account's keys. */
const OWNER_ONLY = 0o600;

/** @returns what was written to the demo file */
export async function seedDemo(ctx: OperatorCtx, env: CliEnv): Promise<DemoFile> {
  const kept = readKept(env.demoFile);
  const { consumer, keys } = await account(ctx, kept);
  const own = forConsumer(ctx, consumer);
  const tenant = await tenantOfDemo(own);
  const trunkId = await loopbackTrunk(ctx, env.demoFarEndPort);
  for (const { ref, name } of demo.agents) {
    if (!(await findAgent(own, tenant, ref))) await putAgent(own, demo.tenantRef, ref, { name, role: null });
  }
  await queueAndLines(own, tenant, trunkId);
  if (env.metaSimulator) await whatsAppLine(own, tenant);
  const password = await demoPeople(own, kept?.dashboard?.password ?? null);
  const file: DemoFile = {
    baseUrl: env.baseUrl,
    consumer: demo.slug,
    tenantRef: demo.tenantRef,
    agents: demo.agents.map(({ ref }) => ref),
    number: demo.lines.support.address,
    numbers: { support: demo.lines.support.address, ada: demo.lines.ada.address },
    ...keys,
    dashboard: { email: demo.people[0].email, password },
  };
  mkdirSync(dirname(env.demoFile), { recursive: true });
  writeFileSync(env.demoFile, `${JSON.stringify(file, null, 2)}\n`, { mode: OWNER_ONLY });
  // `mode` only applies to new files, and this one may exist already or be restored from a backup.
  chmodSync(env.demoFile, OWNER_ONLY);
  return file;
}

type Keys = Pick<DemoFile, 'apiKey' | 'signingKey'>;

type Kept = Keys & Partial<Pick<DemoFile, 'dashboard'>>;

function readKept(file: string): Kept | null {
  if (!existsSync(file)) return null;
  try {
    const { apiKey, signingKey, dashboard }: Kept = JSON.parse(readFileSync(file, 'utf8'));
    const known = typeof dashboard?.password === 'string';
    return { apiKey, signingKey, ...(known && { dashboard }) };
  } catch {
    return null; // incomplete or invalid: new keys are created
  }
}

async function account(ctx: OperatorCtx, kept: Keys | null): Promise<{ consumer: Consumer; keys: Keys }> {
  const where = { slug: demo.slug };
  const consumer = await ctx.db.consumer.findUnique({ where });
  if (!consumer) {
    const { apiKey, signingKey } = await createConsumer(ctx, {
      slug: demo.slug,
      name: 'Demo',
      webhookUrl: null,
      lookupUrl: null,
    });
    const made = await ctx.db.consumer.findUniqueOrThrow({ where });
    // So that the first calls have recordings.
    await putRecordingPolicy(forConsumer(ctx, made), { enabled: true });
    return { consumer: made, keys: { apiKey, signingKey } };
  }
  const own = forConsumer(ctx, consumer);
  if (kept && (await stillValid(own, kept))) return { consumer, keys: kept };
  const { secret: key } = await createApiKey(own, { name: 'npm start', expiresInDays: null });
  const { signingKey, secret } = await createSigningKey(own, { kid: null, name: 'npm start' });
  return { consumer, keys: { apiKey: key, signingKey: { kid: signingKey.kid, secret } } };
}

/** The file may belong to another database. */
async function stillValid({ db, consumer }: Ctx, { apiKey, signingKey }: Keys): Promise<boolean> {
  const read = typeof apiKey === 'string' ? readApiKey(apiKey) : null;
  if (!read || typeof signingKey?.kid !== 'string') return false;
  const active = { consumerId: consumer.id, revokedAt: null };
  const key = await db.apiKey.findFirst({ where: { ...active, prefix: read.prefix, hash: read.hash } });
  const signing = await db.signingKey.findFirst({ where: { ...active, kid: signingKey.kid } });
  return key !== null && signing !== null;
}

async function tenantOfDemo(ctx: Ctx) {
  const where = { consumerId_ref: { consumerId: ctx.consumer.id, ref: demo.tenantRef } };
  const found = await ctx.db.tenant.findUnique({ where });
  if (found) return found;
  await putTenant(ctx, demo.tenantRef, { name: 'Demo', status: 'ACTIVE', settings: null });
  return ctx.db.tenant.findUniqueOrThrow({ where });
}

/** Carries calls to and from this machine only. */
async function loopbackTrunk(ctx: OperatorCtx, port: number): Promise<number> {
  const found = await ctx.db.sipTrunk.findUnique({ where: { ingressLabel: demo.trunk.ingressLabel } });
  if (found) return found.id;
  const { id } = await createTrunk(ctx, {
    ...demo.trunk,
    port,
    slug: null,
    numberRules: null,
    quirks: {},
    credentials: null,
  });
  await moveTrunk(ctx, id, 'approve', null);
  return id;
}

async function queueAndLines(
  ctx: Ctx,
  tenant: Awaited<ReturnType<typeof tenantOfDemo>>,
  trunkId: number,
): Promise<void> {
  if (!(await findQueue(ctx, tenant, demo.queueRef))) {
    await putQueue(ctx, demo.tenantRef, demo.queueRef, {
      name: 'Support',
      strategy: 'ROUND_ROBIN',
      ringTimeoutSeconds: 20,
      maxWaitSeconds: 300,
      overflowQueueRef: null,
      holdAudioAssetId: null,
      maxActiveCalls: null,
      wrapUpSeconds: 0,
      announcePosition: false,
      announceWait: false,
      announceEverySeconds: 60,
      callbackKey: null,
      skillsWaitSeconds: null,
      answerWhileWaiting: false,
      members: demo.agents.map(({ ref }) => ({ agentRef: ref, priority: 1, skills: [] })),
    });
  }
  for (const [ref, line] of Object.entries(demo.lines)) {
    if (await findChannel(ctx, tenant, ref)) continue;
    await putChannel(ctx, demo.tenantRef, ref, {
      type: 'SIP',
      address: line.address,
      displayName: line.displayName,
      providerAccountId: null,
      sipTrunkId: trunkId,
      backupSipTrunkId: null,
      leastCostRouting: false,
      marginGuard: false,
      credentials: undefined,
      inboundQueueRef: line.inboundQueueRef,
      ownerAgentRef: line.ownerAgentRef,
      ringTimeoutSeconds: null,
      recordingEnabled: null,
      status: 'ACTIVE',
    });
  }
}

/** Its calls come from the simulator, which also gives it the customers' permissions to call them. */
async function whatsAppLine(ctx: Ctx, tenant: Awaited<ReturnType<typeof tenantOfDemo>>): Promise<void> {
  const { ref, address, displayName, inboundQueueRef, phoneNumberId, accessToken } = demo.whatsapp;
  if (await findChannel(ctx, tenant, ref)) return;
  await putChannel(ctx, demo.tenantRef, ref, {
    type: 'WHATSAPP',
    address,
    displayName,
    providerAccountId: phoneNumberId,
    sipTrunkId: null,
    backupSipTrunkId: null,
    leastCostRouting: false,
    marginGuard: false,
    credentials: { access_token: accessToken },
    inboundQueueRef,
    ownerAgentRef: null,
    ringTimeoutSeconds: null,
    recordingEnabled: null,
    status: 'ACTIVE',
  });
}
