/** The one query of a step, which reads everything that the step may need. */
import type { Call } from '@clarion/db';
import type { LoadedAgent, LoadedBeginning, LoadedStep } from './loaded.ts';
import type { RunStatement, Statement } from './step-sql.ts';

/** `ids` is a query of agents' IDs. */
const agentsAmong = (ids: string) => `(
  select coalesce(json_agg(json_build_object(
    'id', a."id", 'ref', a."ref", 'name', a."name", 'role', a."role", 'doNotDisturb', a."doNotDisturb", 'shift', a."shift",
    'currentCallId', a."currentCallId", 'onCall', a."onCall", 'idleSince', a."idleSince", 'wrapUpUntil', a."wrapUpUntil",
    'consecutiveMissed', a."consecutiveMissed", 'deletedAt', a."deletedAt", 'createdAt', a."createdAt", 'rowVersion', a.xmin::text,
    'deviceIds', array(select s."deviceId" from "AgentConnection" s where s."agentId" = a."id"))), '[]')
  from "Agent" a where a."id" in (${ids}))`;

const TENANT = `json_build_object('ref', t."ref", 'settings', t."settings", 'webhookUrl', c."webhookUrl",
  'webhookEventTypes', c."webhookEventTypes")`;

/** $1: the call. $2: agents whom the event names. The state and the agents' reservations name the others. */
const LOAD_STEP: Statement = {
  name: 'load-step',
  text: `
    select json_build_object(
      'call', to_jsonb(k),
      'tenant', ${TENANT},
      'live', json_build_object('state', l."state", 'version', l."version", 'lastEventAt', l."lastEventAt",
        'flow', case when jsonb_typeof(l."state"->'flow') = 'object' then l."flow" end),
      'agents', ${agentsAmong(`
        select unnest($2::int[])
        union select r."id" from "Agent" r where r."currentCallId" = l."callId"
        union select id::int from jsonb_path_query(l."state", '$.**.agentId ? (@.type() == "number")') id`)})
    from "LiveCall" l
    join "Call" k on k."id" = l."callId"
    join "Tenant" t on t."id" = l."tenantId"
    join "Consumer" c on c."id" = l."consumerId"
    where l."callId" = $1::int`,
};

/** $1: the tenant. $2: agents whom the call reserves. */
const LOAD_BEGINNING: Statement = {
  name: 'load-beginning',
  text: `
    select json_build_object('callId', nextval(pg_get_serial_sequence('"Call"', 'id')), 'tenant', ${TENANT},
      'agents', ${agentsAmong('select unnest($2::int[])')})
    from "Tenant" t join "Consumer" c on c."id" = t."consumerId"
    where t."id" = $1::int`,
};

/** @returns null if the call is not live */
export async function loadStep(
  run: RunStatement,
  callId: number,
  agentIds: readonly number[],
): Promise<LoadedStep | null> {
  const found = (await run(LOAD_STEP, [callId, [...agentIds]])) as Json<LoadedStep> | null;
  if (!found) return null;
  const { call, live, agents } = found;
  return {
    ...found,
    call: callFrom(call),
    agents: agents.map(agentFrom),
    live: { ...live, lastEventAt: momentFrom(live.lastEventAt) },
  };
}

/** The tenant exists: the caller holds a row that refers to it. */
export async function loadBeginning(
  run: RunStatement,
  tenantId: number,
  agentIds: readonly number[],
): Promise<LoadedBeginning> {
  const found = (await run(LOAD_BEGINNING, [tenantId, [...agentIds]])) as Json<LoadedBeginning> | null;
  if (!found) throw new Error(`tenant ${tenantId} does not exist`);
  return { ...found, agents: found.agents.map(agentFrom) };
}

/** The same shape with moments as text. The statements above are its only source, so it is not checked again. */
type Json<T> = T extends Date ? string : T extends object ? { [K in keyof T]: Json<T[K]> } : T;

const momentFrom = (text: string | null): Date | null => (text === null ? null : new Date(text));

const callFrom = (row: Json<Call>): Call => ({
  ...row,
  createdAt: new Date(row.createdAt),
  ringingAt: momentFrom(row.ringingAt),
  queuedAt: momentFrom(row.queuedAt),
  answeredAt: momentFrom(row.answeredAt),
  endedAt: momentFrom(row.endedAt),
});

const agentFrom = (row: Json<LoadedAgent>): LoadedAgent => ({
  ...row,
  idleSince: new Date(row.idleSince),
  wrapUpUntil: momentFrom(row.wrapUpUntil),
  deletedAt: momentFrom(row.deletedAt),
  createdAt: new Date(row.createdAt),
});
