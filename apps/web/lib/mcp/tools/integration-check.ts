/** The account against the go-live checklist, from what the Management API answers. */
import { goLiveChecklist } from '@clarion/core/go-live/checklist';
import type { TenantFacts } from '@clarion/core/go-live/checklist';
import { registry } from '@clarion/protocol/v1/registry';
import type { EndpointName, Registry } from '@clarion/protocol/v1/registry';
import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { runtime } from '../../api/runtime.ts';
import type { Account, ApiAnswer } from '../account.ts';
import { callerOf } from '../caller.ts';
import { answering, apiResult, data } from '../tool-result.ts';

const DAYS = 7;
const MS_PER_DAY = 86_400_000;
/** Each tenant costs five requests of the account's 1200 a minute. */
const MAX_TENANTS = 20;
const MAX_EVENTS = 200;

export function registerIntegrationCheck(server: McpServer, authorization: string): void {
  server.registerTool(
    'integration_check',
    {
      title: 'Check the integration',
      description: `Checks the account against the go-live checklist: webhook and failed deliveries, signing keys, push credentials, and for each active tenant its lines, agents, queue members and recent calls. Lists what is done, what is missing and what to do next. Looks at ${MAX_TENANTS} tenants, or at one.`,
      inputSchema: z.object({
        tenant_ref: z.string().min(1).optional().describe('Only this tenant'),
      }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ tenant_ref: only }) =>
      answering(async () => {
        const { account } = await callerOf(authorization);
        try {
          return data(await check(account, only));
        } catch (error) {
          if (error instanceof Refused) return apiResult(error.answer);
          throw error;
        }
      }),
  );
}

/** The API refused a question: its answer is the tool's. */
class Refused extends Error {
  readonly answer: ApiAnswer;
  constructor(answer: ApiAnswer) {
    super(`refused with ${answer.status}`);
    this.answer = answer;
  }
}

type AnswerOf<N extends EndpointName> = Registry[N]['answer'] extends { body: infer B extends z.ZodType }
  ? z.output<B>
  : never;

/** GETs an endpoint by name, its answer typed and checked. */
async function get<N extends EndpointName>(
  account: Account,
  name: N,
  at: { path?: Record<string, string>; query?: Record<string, string | number> } = {},
): Promise<AnswerOf<N>> {
  const { path: template, answer } = registry[name];
  const path = template.replaceAll(/\{(\w+)\}/g, (_, field: string) =>
    encodeURIComponent(at.path?.[field] ?? ''),
  );
  const answered = await account.request({ method: 'GET', path, query: at.query });
  if (answered.status !== answer.status || !('body' in answer)) throw new Refused(answered);
  return answer.body.parse(answered.body) as AnswerOf<N>; // the schema of this very endpoint
}

async function check(account: Account, only: string | undefined) {
  const from = new Date(runtime().now().getTime() - DAYS * MS_PER_DAY).toISOString();
  const events = (status: string) =>
    get(account, 'listEvents', { query: { status, from, limit: MAX_EVENTS } });
  const [{ webhook }, failed, pending, { signingKeys }, { pushCredentials }] = await Promise.all([
    get(account, 'getWebhook'),
    events('FAILED'),
    events('PENDING'),
    get(account, 'listSigningKeys'),
    get(account, 'listPushCredentials'),
  ]);
  const tenants =
    only === undefined
      ? (await get(account, 'listTenants')).tenants.filter(({ status }) => status === 'ACTIVE')
      : [(await get(account, 'getTenant', { path: { tenantRef: only } })).tenant];
  const looked: TenantFacts[] = [];
  // One after another: a check must not take the database from everyone else.
  for (const tenant of tenants.slice(0, MAX_TENANTS)) looked.push(await tenantFacts(account, tenant, from));
  const checklist = goLiveChecklist({
    webhook,
    deliveries: {
      failed: failed.events.length,
      retrying: pending.events.filter(({ attempts }) => attempts.length > 0).length,
    },
    signingKeys: signingKeys.length,
    pushProviders: pushCredentials.map(({ provider }) => provider),
    tenants: looked,
    days: DAYS,
  });
  const left = tenants.length - looked.length;
  return {
    ...checklist,
    ...(left > 0 && { notLookedAt: `${left} more tenants: pass tenant_ref to look at one.` }),
  };
}

async function tenantFacts(
  account: Account,
  tenant: TenantFacts['tenant'],
  from: string,
): Promise<TenantFacts> {
  const path = { tenantRef: tenant.ref };
  const { channels } = await get(account, 'listChannels', { path });
  const { agents } = await get(account, 'listAgents', { path });
  const { queues } = await get(account, 'listQueues', { path });
  const { stats } = await get(account, 'listCalls', { path, query: { from, limit: 1, stats: 'true' } });
  return {
    tenant,
    channels,
    agents,
    queues,
    calls: { total: stats?.total ?? 0, answered: stats?.answered ?? 0 },
  };
}
