/** The audit log: what was changed in the account, by whom, and through which interface. */
import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import {
  id,
  optional,
  orDefault,
  queryInteger,
  queryTimestamp,
  ref,
  text,
  timestamp,
} from '../fields/fields.ts';

const LIST_LIMIT = { max: 200, default: 50 };
const ACTION_MAX_CHARS = 64;
const ACTOR_MAX_CHARS = 300;

export const listAuditQuery = z
  .object({
    tenant_ref: optional(ref).describe('Returns 404 if the tenant does not exist.'),
    action: optional(text(ACTION_MAX_CHARS)).describe(
      'An action such as `queue.put`, or a group such as `queue` for all actions on queues.',
    ),
    actor: optional(text(ACTOR_MAX_CHARS)).describe(
      'A type of actor such as `apiKey` or `dashboardUser`, or one actor such as `apiKey:12`.',
    ),
    from: optional(queryTimestamp).describe(
      'Only entries at or after this time. UTC unless an offset is given.',
    ),
    to: optional(queryTimestamp).describe('Only entries before this time. UTC unless an offset is given.'),
    limit: orDefault(queryInteger(1, LIST_LIMIT.max), LIST_LIMIT.default),
    before_id: optional(queryInteger(0, Number.MAX_SAFE_INTEGER)).describe(
      'The nextBeforeId of the previous page.',
    ),
  })
  .transform((query) => ({
    tenantRef: query.tenant_ref ?? null,
    action: query.action ?? null,
    actor: query.actor ?? null,
    from: query.from ?? null,
    to: query.to ?? null,
    limit: query.limit,
    beforeId: query.before_id ?? null,
  }));
export type ListAudit = z.output<typeof listAuditQuery>;

export const auditEntryResource = z.strictObject({
  id,
  at: timestamp,
  /** `name`: of a person, at that time; null for other kinds of actors. */
  actor: z.strictObject({ kind: z.string(), id: z.string(), name: z.string().nullable() }),
  /** The interface: api, mcp, dashboard, socket, cli or job. */
  surface: z.string(),
  action: z.string(),
  /** The ref, ID or address of the changed entity. */
  target: z.string(),
  /** Null for entities of the account, and for deleted tenants. */
  tenantRef: z.string().nullable(),
  /** The changed values, without secrets. */
  details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).nullable(),
});
export type AuditEntryResource = z.infer<typeof auditEntryResource>;

export const auditEndpoints = {
  listAuditLog: defineEndpoint({
    method: 'GET',
    path: '/v1/audit-log',
    summary:
      'Lists changes made by API keys, dashboard users, assistants and the operator, newest first. Pass nextBeforeId as before_id to get the next page, until it is null.',
    query: listAuditQuery,
    answer: {
      status: 200,
      body: z.strictObject({
        entries: z.array(auditEntryResource),
        nextBeforeId: z.number().int().nullable(),
      }),
    },
    errors: ['not_found'],
    role: 'manage',
    oneTenantSession: true,
    example: {
      query: 'action=queue&limit=1',
      answer: {
        entries: [
          {
            id: 4711,
            at: '2026-01-05T09:00:00.000Z',
            actor: { kind: 'dashboardUser', id: '7', name: 'Grace Hopper' },
            surface: 'dashboard',
            action: 'queue.put',
            target: 'support',
            tenantRef: 'shop',
            details: null,
          },
        ],
        nextBeforeId: 4711,
      },
    },
  }),
};
