/** The user who is signed in to the dashboard, and their sessions. Not for API keys, which do not represent a user. */
import { z } from 'zod';
import { consumerStatuses, staffRoles } from '../../enums.ts';
import { defineEndpoint } from '../endpoint.ts';
import { id, timestamp } from '../fields/fields.ts';

export const meResource = z.strictObject({
  /** LAUNCHED: a member of a business's staff, who sees one tenant. */
  kind: z.enum(['STAFF', 'LAUNCHED']),
  sessionId: id,
  name: z.string(),
  email: z.string().nullable(),
  role: z.enum(staffRoles),
  consumer: z.strictObject({ slug: z.string(), name: z.string(), status: z.enum(consumerStatuses) }),
  /** The tenant of a launched user. */
  tenantRef: z.string().nullable(),
  /** Null for launched users, whom the consumer's product has signed in. */
  twoFactor: z
    .strictObject({
      enabled: z.boolean(),
      /** The account requires it of this user: until it is set up, nothing else is allowed. */
      required: z.boolean(),
      recoveryCodesLeft: z.number().int(),
    })
    .nullable(),
});
export type MeResource = z.infer<typeof meResource>;

export const sessionResource = z.strictObject({
  id,
  /** The session that sent the request. */
  current: z.boolean(),
  userAgent: z.string().nullable(),
  address: z.string().nullable(),
  createdAt: timestamp,
  /** To the minute. */
  lastSeenAt: timestamp,
  expiresAt: timestamp,
});
export type SessionResource = z.infer<typeof sessionResource>;

export const meExample = {
  kind: 'STAFF',
  sessionId: 81,
  name: 'Ada Lovelace',
  email: 'ada@acme.example',
  role: 'OWNER',
  consumer: { slug: 'acme', name: 'Acme', status: 'ACTIVE' },
  tenantRef: null,
  twoFactor: { enabled: true, required: false, recoveryCodesLeft: 10 },
};
const sessionExample = {
  id: 81,
  current: true,
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Chrome/142.0',
  address: '198.51.100.7',
  createdAt: '2026-01-05T09:00:00.000Z',
  lastSeenAt: '2026-01-05T09:30:00.000Z',
  expiresAt: '2026-01-12T09:00:00.000Z',
};

export const meEndpoints = {
  getMe: defineEndpoint({
    method: 'GET',
    path: '/v1/me',
    summary: 'Returns the user who is signed in to the dashboard. For dashboard sessions only.',
    answer: { status: 200, body: z.strictObject({ me: meResource }) },
    errors: ['forbidden'],
    role: 'view',
    oneTenantSession: true,
    sessionOnly: true,
    beforeTwoFactor: true,
    example: { answer: { me: meExample } },
  }),
  listMySessions: defineEndpoint({
    method: 'GET',
    path: '/v1/me/sessions',
    summary: "Lists the user's sessions, the current one first. For dashboard sessions only.",
    answer: { status: 200, body: z.strictObject({ sessions: z.array(sessionResource) }) },
    errors: ['forbidden'],
    role: 'view',
    oneTenantSession: true,
    sessionOnly: true,
    beforeTwoFactor: true,
    example: { answer: { sessions: [sessionExample] } },
  }),
  deleteMySession: defineEndpoint({
    method: 'DELETE',
    path: '/v1/me/sessions/{sessionId}',
    summary:
      "Ends one of the user's own sessions. Its next request is rejected. For dashboard sessions only.",
    answer: { status: 204 },
    errors: ['forbidden', 'not_found'],
    role: 'view',
    oneTenantSession: true,
    sessionOnly: true,
    beforeTwoFactor: true,
    example: { path: { sessionId: 81 } },
  }),
};
