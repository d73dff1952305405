/** Tenants: the businesses of the consumer. */
import { z } from 'zod';
import { monitoringModes } from '../../enums.ts';
import type { StoredTenantSettings } from '../../json.ts';
import { defineEndpoint } from '../endpoint.ts';
import {
  id,
  integer,
  NAME_MAX_CHARS,
  optional,
  orDefault,
  queryBoolean,
  required,
  text,
  timestamp,
  enumField,
} from '../fields/fields.ts';

export const tenantStatuses = ['ACTIVE', 'SUSPENDED'] as const;
/** Missed calls in a row, and the days that recordings are kept (docs/requirements.md#limits). */
const MISSED_THRESHOLD = { min: 1, max: 100 };
const RETENTION_DAYS = { min: 1, max: 3650 };

const settingsBody = z
  .object({
    team_view: optional(z.boolean()).describe(
      'Whether agents see their colleagues, the queues and the calls of the team. Default: true.',
    ),
    monitoring: optional(
      z.object({
        modes: optional(z.array(enumField(monitoringModes))).describe(
          'The monitoring modes that supervisors may use. Default: LISTEN.',
        ),
      }),
    ),
    auto_offline: optional(
      z.object({
        enabled: optional(z.boolean()).describe(
          'Whether an agent is set to OFFLINE after missed_threshold missed calls in a row. Default: false.',
        ),
        missed_threshold: optional(integer(MISSED_THRESHOLD.min, MISSED_THRESHOLD.max)).describe(
          'Default: 3.',
        ),
      }),
    ),
    recording: optional(
      z.object({
        enabled: optional(z.boolean()).describe("If omitted, the account's recording policy applies."),
        retention_days: optional(integer(RETENTION_DAYS.min, RETENTION_DAYS.max)).describe(
          'Recordings older than this are deleted. If omitted, recordings are kept.',
        ),
      }),
    ),
  })
  .transform(({ team_view, monitoring, auto_offline, recording }): StoredTenantSettings => ({
    ...(team_view !== undefined && { teamView: team_view }),
    ...(monitoring?.modes && { monitoring: { modes: [...new Set(monitoring.modes)] } }),
    ...(auto_offline && {
      autoOffline: {
        ...(auto_offline.enabled !== undefined && { enabled: auto_offline.enabled }),
        ...(auto_offline.missed_threshold !== undefined && {
          missedThreshold: auto_offline.missed_threshold,
        }),
      },
    }),
    ...(recording && {
      recording: {
        ...(recording.enabled !== undefined && { enabled: recording.enabled }),
        ...(recording.retention_days !== undefined && { retentionDays: recording.retention_days }),
      },
    }),
  }));

export const putTenantBody = z
  .object({
    name: required(text(NAME_MAX_CHARS)),
    status: orDefault(enumField(tenantStatuses), 'ACTIVE').describe(
      'The agents of a SUSPENDED tenant cannot connect. If omitted, the tenant becomes ACTIVE.',
    ),
    settings: optional(settingsBody).describe(
      'Kept if omitted or null; `{}` resets all settings to their defaults.',
    ),
  })
  // Omitted settings (or null) are kept; `{}` clears them.
  .transform(({ name, status, settings }) => ({ name, status, settings: settings ?? null }));
export type PutTenant = z.output<typeof putTenantBody>;

export const tenantResource = z.strictObject({
  id,
  ref: z.string(),
  name: z.string(),
  status: z.enum(tenantStatuses),
  settings: z.strictObject({
    teamView: z.boolean(),
    monitoring: z.strictObject({ modes: z.array(z.enum(monitoringModes)) }),
    autoOffline: z.strictObject({ enabled: z.boolean(), missedThreshold: z.number().int() }),
    recording: z.strictObject({
      enabled: z.boolean().nullable(),
      retentionDays: z.number().int().nullable(),
    }),
  }),
  pricePlanId: id.nullable(),
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type TenantResource = z.infer<typeof tenantResource>;

const count = z.number().int();
/** A tenant in the list. */
const listedTenant = z.strictObject({
  ...tenantResource.shape,
  /** Only with `counts=true`. */
  counts: z.strictObject({ agents: count, queues: count, channels: count }).optional(),
});
export type ListedTenant = z.infer<typeof listedTenant>;

export const listTenantsQuery = z
  .object({
    counts: optional(queryBoolean).describe('Whether each tenant includes its counts. Default: false.'),
  })
  .transform(({ counts }) => ({ counts: counts ?? false }));
export type ListTenants = z.output<typeof listTenantsQuery>;

const example = {
  id: 1,
  ref: 'acme',
  name: 'Acme',
  status: 'ACTIVE',
  settings: {
    teamView: true,
    monitoring: { modes: ['LISTEN'] },
    autoOffline: { enabled: false, missedThreshold: 3 },
    recording: { enabled: null, retentionDays: null },
  },
  pricePlanId: null,
  createdAt: '2026-01-05T09:00:00.000Z',
  updatedAt: '2026-01-05T09:00:00.000Z',
};
const one = z.strictObject({ tenant: tenantResource });
const path = '/v1/tenants/{tenantRef}';
const pathExample = { tenantRef: 'acme' };

export const tenantEndpoints = {
  putTenant: defineEndpoint({
    method: 'PUT',
    path,
    summary:
      'Creates or replaces a tenant. If status is omitted, it becomes ACTIVE. If settings is omitted, the settings are kept; `{}` clears them.',
    body: putTenantBody,
    answer: { status: 200, body: one },
    errors: [],
    role: 'manage',
    oneTenantSession: false,
    example: {
      path: pathExample,
      body: { name: 'Acme', settings: { monitoring: { modes: ['LISTEN'] } } },
      answer: { tenant: example },
    },
  }),
  getTenant: defineEndpoint({
    method: 'GET',
    path,
    summary: 'Returns a tenant.',
    answer: { status: 200, body: one },
    errors: ['not_found'],
    role: 'view',
    oneTenantSession: true,
    example: { path: pathExample, answer: { tenant: example } },
  }),
  listTenants: defineEndpoint({
    method: 'GET',
    path: '/v1/tenants',
    summary:
      'Lists all tenants, oldest first. `counts=true` adds the number of agents, queues and channels of each tenant.',
    query: listTenantsQuery,
    answer: { status: 200, body: z.strictObject({ tenants: z.array(listedTenant) }) },
    errors: [],
    role: 'view',
    oneTenantSession: false,
    example: { answer: { tenants: [example] } },
  }),
  deleteTenant: defineEndpoint({
    method: 'DELETE',
    path,
    summary:
      'Deletes a SUSPENDED tenant with its agents, queues, channels, call history and events. This cannot be undone.',
    answer: { status: 204 },
    errors: ['not_found', 'tenant_active', 'call_active', 'storage_unavailable'],
    role: 'own',
    oneTenantSession: false,
    example: { path: pathExample },
  }),
};
