/** Agents: the people who take and place calls in a tenant. */
import { z } from 'zod';
import { agentRoles, availabilities } from '../../enums.ts';
import { defineEndpoint } from '../endpoint.ts';
import {
  id,
  integer,
  NAME_MAX_CHARS,
  optional,
  orDefault,
  required,
  text,
  timestamp,
  enumField,
} from '../fields/fields.ts';

export const putAgentBody = z
  .object({
    name: required(text(NAME_MAX_CHARS)),
    role: optional(enumField(agentRoles)).describe(
      'If omitted, a new agent is an AGENT and an existing agent keeps its role.',
    ),
  })
  // If the role is omitted, it is kept.
  .transform(({ name, role }) => ({ name, role: role ?? null }));
export type PutAgent = z.output<typeof putAgentBody>;

export const putDoNotDisturbBody = z.object({ enabled: required(z.boolean()) });
export type PutDoNotDisturb = z.output<typeof putDoNotDisturbBody>;

/** docs/requirements.md#limits */
export const TEST_TOKEN_MINUTES = { min: 1, max: 60, default: 15 } as const;
export const createTestTokenBody = z
  .object({
    role: optional(enumField(agentRoles)).describe(
      "Applied when the agent connects. If omitted, the agent's current role is used. A SUPERVISOR token can listen to live calls.",
    ),
    minutes: orDefault(
      integer(TEST_TOKEN_MINUTES.min, TEST_TOKEN_MINUTES.max),
      TEST_TOKEN_MINUTES.default,
    ).describe('How long the token is valid.'),
  })
  .transform(({ role, minutes }) => ({ role: role ?? null, minutes }));

export const testTokenResource = z.strictObject({
  token: z.string(),
  expiresAt: timestamp,
  tenantRef: z.string(),
  agentRef: z.string(),
  role: z.enum(agentRoles),
  connectTo: z.string().describe('The URL to which the SDK connects.'),
});
export type TestTokenResource = z.infer<typeof testTokenResource>;

export const agentResource = z.strictObject({
  id,
  ref: z.string(),
  tenantRef: z.string(),
  name: z.string(),
  role: z.enum(agentRoles),
  doNotDisturb: z.boolean(),
  availability: z.enum(availabilities),
  connected: z.boolean(),
  deviceCount: z.number().int(),
  createdAt: timestamp,
});
export type AgentResource = z.infer<typeof agentResource>;

const example = {
  id: 7,
  ref: 'ada',
  tenantRef: 'acme',
  name: 'Ada Byron',
  role: 'AGENT',
  doNotDisturb: false,
  availability: 'OFFLINE',
  connected: false,
  deviceCount: 0,
  createdAt: '2026-01-05T09:00:00.000Z',
};
const one = z.strictObject({ agent: agentResource });
const path = '/v1/tenants/{tenantRef}/agents/{agentRef}';
const pathExample = { tenantRef: 'acme', agentRef: 'ada' };

export const agentEndpoints = {
  putAgent: defineEndpoint({
    method: 'PUT',
    path,
    summary: 'Creates or replaces an agent. The role and the do not disturb setting are kept if omitted.',
    body: putAgentBody,
    answer: { status: 200, body: one },
    errors: ['not_found'],
    role: 'manage',
    oneTenantSession: true,
    example: { path: pathExample, body: { name: 'Ada Byron', role: 'AGENT' }, answer: { agent: example } },
  }),
  getAgent: defineEndpoint({
    method: 'GET',
    path,
    summary: 'Returns an agent.',
    answer: { status: 200, body: one },
    errors: ['not_found'],
    role: 'view',
    oneTenantSession: true,
    example: { path: pathExample, answer: { agent: example } },
  }),
  listAgents: defineEndpoint({
    method: 'GET',
    path: '/v1/tenants/{tenantRef}/agents',
    summary: 'Lists all agents of the tenant, oldest first.',
    answer: { status: 200, body: z.strictObject({ agents: z.array(agentResource) }) },
    errors: ['not_found'],
    role: 'view',
    oneTenantSession: true,
    example: { path: { tenantRef: 'acme' }, answer: { agents: [example] } },
  }),
  deleteAgent: defineEndpoint({
    method: 'DELETE',
    path,
    summary:
      'Deletes an agent. Their app is disconnected immediately and their tokens are rejected until the agent is created again. They keep their personal channels.',
    answer: { status: 204 },
    errors: ['not_found'],
    role: 'manage',
    oneTenantSession: true,
    example: { path: pathExample },
  }),
  putDoNotDisturb: defineEndpoint({
    method: 'PUT',
    path: '/v1/tenants/{tenantRef}/agents/{agentRef}/do-not-disturb',
    summary:
      "Turns do not disturb on or off. While it is on, calls to the agent's personal channels do not ring and end with NO_ANSWER.",
    body: putDoNotDisturbBody,
    answer: { status: 200, body: one },
    errors: ['not_found'],
    role: 'manage',
    oneTenantSession: true,
    example: {
      path: pathExample,
      body: { enabled: true },
      answer: { agent: { ...example, doNotDisturb: true } },
    },
  }),
  createTestToken: defineEndpoint({
    method: 'POST',
    path: `${path}/test-token`,
    summary:
      'Signs a short-lived agent token, as your backend would, for testing an app. Every token issued is recorded in the audit log.',
    body: createTestTokenBody,
    answer: { status: 201, body: z.strictObject({ testToken: testTokenResource }) },
    errors: ['not_found', 'tenant_suspended', 'invalid_state'],
    role: 'manage',
    oneTenantSession: true,
    neverReplayed: true,
    example: {
      path: pathExample,
      body: { minutes: 15 },
      answer: {
        testToken: {
          token:
            'eyJhbGciOiJIUzI1NiIsImtpZCI6ImFwcC0yMDI2In0.eyJ0bnQiOiJhY21lIiwic3ViIjoiYWRhIn0.dBjftJeZ4CVPmB92K27uhbUJU1p1r',
          expiresAt: '2026-01-05T09:15:00.000Z',
          tenantRef: 'acme',
          agentRef: 'ada',
          role: 'AGENT',
          connectTo: 'https://api.example.com',
        },
      },
    },
  }),
};
