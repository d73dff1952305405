/**
 * 400 responses to requests that match their schemas. Each must have a documented reason, which is verified where possible: a ref
 * that is reported as unknown must be unknown.
 */
import type { Database } from '@clarion/db';
import { fieldPath, issueMessage } from '@clarion/protocol/v1/fields/field-error';
import type { EndpointDefinition } from '@clarion/protocol/v1/endpoint';
import { registry } from '@clarion/protocol/v1/registry';
import type { FuzzRequest } from './requests.ts';

/**
 * Fields with rules that a schema cannot express, and the error messages that are allowed for them. Add new fields of this kind
 * here.
 */
const MEANINGS: readonly [field: RegExp, message: RegExp][] = [
  // Phone numbers: not a number, or a number of another line.
  [/^(customer\.)?(address|customer)$/, /number|address|line|belongs/],
  [/^provider_account_id$/, /line|used|belongs/],
  [/^(backup_)?sip_trunk_id$/, /trunk/],
  [/^hold_audio_asset_id$/, /audio/],
  // URLs: https, and a host that is allowed.
  [/^(lookup_)?url$/, /https|host|address|URL/i],
  // Windows: in order, in the past, and within the maximum length.
  [/^(from|to)$/, /before|after|past|future|days|window/],
  [/^interval$/, /window has more than/],
  // A file that is not audio, or not of the given type.
  [/^(content_base64|storage_key|mime_type)$/, /audio|base64|file|storage|must consist of names/i],
  // The provider in the path determines which of three bodies is valid.
  [/^(service_account(\.\w+)?|key_p8|key_id|team_id|bundle_id|app_id|api_key)$/, /is required|must be/],
  // A line has one active flow per trigger.
  [/^trigger_condition$/, /has an ACTIVE flow/],
  // Trunks: hosts and addresses that are public, and settings that need one another.
  [/^(quirks\.from_domain|(destinations\[\d+\]\.)?host)$/, /host name|address|public/],
  [/^inbound_source_cidrs/, /address|CIDR|public|required/],
  [/^(register|srtp|national_prefix|follow_template|template_id)$/, /requires|is required|template/],
  // Prices: decks and plans of the account, in one currency that stays while something uses them.
  [/^(price_plan_id|(inbound_)?buy_deck_id|items\[\d+\]\.deck_id)$/, /must be the ID of one of your|is in/],
  [/^currency$/, /cannot be changed from|must be that of the price plan/],
  [/^amount$/, /the balance would have more than/],
  [/^items\[\d+\]\.(method|flat_rate|deck_id|markup_percent)$/, /is required|is allowed only|can be DECK/],
  [/^(least_cost_routing|margin_guard)$/, /requires|SIP/],
  // A rate sheet has its columns inside the text.
  [/^columns(\.\w+)?$/, /The file has no column/],
  [/^csv$/, /has no row|cannot be read/],
  // The graph of a flow: see the tests in core's ivr/.
  [/^structure(\.|$)/, /./],
];

/** A rule of the schema about several fields, or a refinement: it names the same field. */
function ownRule(request: FuzzRequest, field: string): boolean {
  const { body, query }: EndpointDefinition = registry[request.name];
  const sent = request.text === undefined ? {} : (JSON.parse(request.text) as unknown);
  const parsed = [
    query?.safeParse(Object.fromEntries(new URLSearchParams(request.query)), { reportInput: true }),
    body?.safeParse(sent, { reportInput: true }),
  ].find((result) => result?.success === false);
  const issue = parsed?.error?.issues[0];
  return issue !== undefined && fieldPath(issue.path) === field && issueMessage(issue) !== '';
}

const valueAt = (body: unknown, field: string): unknown =>
  field
    .split(/[.[\]]+/)
    .filter((step) => step !== '')
    .reduce<unknown>((value, step) => (value as Record<string, unknown> | null | undefined)?.[step], body);

/** Whether a row with this ref exists in the tenant of the path. */
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

/** Null if the error is justified; otherwise what is wrong with it. */
export async function unfounded(
  db: Database,
  request: FuzzRequest,
  { field, message }: Refusal,
  consumerId: number,
): Promise<string | null> {
  // In a corrupted request the schema may reject the corrupted fields.
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
