/**
 * Refusals (400) of requests that fit their schemas. Each must be for a reason that the documentation gives; where the reason can
 * be looked up, it is: a ref that is said to match nothing must match nothing.
 */
import type { Database } from '@clarion/db';
import { complaint, fieldPath } from '@clarion/protocol/v1/fields/field-error';
import type { EndpointDefinition } from '@clarion/protocol/v1/endpoint';
import { registry } from '@clarion/protocol/v1/registry';
import type { FuzzRequest } from './requests.ts';

/**
 * Fields whose meaning, and not only their shape, is checked: what a schema cannot say, with what may be said of them. A new field
 * of this kind gets its line here.
 */
const MEANINGS: readonly [field: RegExp, complaint: RegExp][] = [
  // Numbers: no number at all, or a line's that is taken.
  [/^(customer\.)?(address|customer)$/, /number|address|line|belongs/],
  [/^provider_account_id$/, /line|used|belongs/],
  [/^sip_trunk_id$/, /trunk/],
  [/^hold_audio_asset_id$/, /audio/],
  // https, and a host that may be reached.
  [/^(lookup_)?url$/, /https|host|address|URL/i],
  // Windows: in order, in the past, no longer than they may be.
  [/^(from|to)$/, /before|after|past|future|days|window/],
  [/^interval$/, /window has more than/],
  // A sound that is none, or not of the type that it says.
  [/^(content_base64|storage_key|mime_type)$/, /audio|base64|file|storage|must consist of names/i],
  // The provider in the path says which of three bodies it must be.
  [/^(service_account(\.\w+)?|key_p8|key_id|team_id|bundle_id|app_id|api_key)$/, /is required|must be/],
  // One flow of a line for each.
  [/^trigger_condition$/, /has an ACTIVE flow/],
  // The flow as a graph: core's ivr/ tests say when.
  [/^structure(\.|$)/, /./],
];

/** The schema's own rule about several fields together, or one that it checks by code: it names the same field. */
function ownRule(request: FuzzRequest, field: string): boolean {
  const { body, query }: EndpointDefinition = registry[request.name];
  const sent = request.text === undefined ? {} : (JSON.parse(request.text) as unknown);
  const parsed = [
    query?.safeParse(Object.fromEntries(new URLSearchParams(request.query)), { reportInput: true }),
    body?.safeParse(sent, { reportInput: true }),
  ].find((result) => result?.success === false);
  const issue = parsed?.error?.issues[0];
  return issue !== undefined && fieldPath(issue.path) === field && complaint(issue) !== '';
}

const valueAt = (body: unknown, field: string): unknown =>
  field
    .split(/[.[\]]+/)
    .filter((step) => step !== '')
    .reduce<unknown>((value, step) => (value as Record<string, unknown> | null | undefined)?.[step], body);

/** Whether a row of this kind has the ref, in the tenant of the path. */
async function exists(db: Database, request: FuzzRequest, kind: string, ref: string, consumerId: number) {
  const tenant = await db.tenant.findFirst({
    where: { consumerId, ref: (request.params['tenantRef'] ?? '').trim() },
  });
  if (!tenant) return kind === 'tenant' && (await db.tenant.count({ where: { consumerId, ref } })) > 0;
  const where = { tenantId: tenant.id, ref };
  switch (kind) {
    case 'agent':
      return (await db.agent.count({ where: { ...where, deletedAt: null } })) > 0;
    case 'queue':
      return (await db.queue.count({ where })) > 0;
    case 'channel':
      return (await db.channel.count({ where })) > 0;
    default:
      return false;
  }
}

export interface Refusal {
  field: string;
  message: string;
}

/** Null when the refusal is in order; else what is wrong with it. */
export async function unfounded(
  db: Database,
  request: FuzzRequest,
  { field, message }: Refusal,
  consumerId: number,
): Promise<string | null> {
  // Of a corrupted request the schema has its say about what was corrupted.
  if (request.mood !== 'corrupted' && ownRule(request, field)) return null;
  const kind = /(?:^|[._])(agent|queue|channel|tenant)_ref$/.exec(field)?.[1];
  if (kind !== undefined) {
    const query = new URLSearchParams(request.query).getAll(field).at(-1);
    const ref = String(valueAt(request.body, field) ?? query ?? '').trim();
    const itself = field === 'overflow_queue_ref' && ref === request.params['queueRef'];
    if (itself || !(await exists(db, request, kind, ref, consumerId))) return null;
    return `${field} ${ref} exists and is said not to: ${message}`;
  }
  const understood = MEANINGS.some(([name, said]) => name.test(field) && said.test(message));
  return understood ? null : `${field} was right by its schema: ${message}`;
}
